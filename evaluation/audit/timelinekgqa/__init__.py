"""The audit of question files in the published TimelineKGQA layout against their table of facts."""
