"""How well queries of temporal tables were put into English. Paper: TDBench, section 3.3."""
