"""Shares out what two names have in common: "after both X and Y left" is "after X left and after Y left".

Paper: section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_tokens import Token


def spread(tokens: list[Token]) -> list[Token]:
    """The tokens with "after both X and Y left" as "after X left and after Y left"."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        names = [at + 1 + (tokens[at + 1].text == "both")] if token.kind == "connective" and at + 1 < len(tokens) else []
        if names and tokens[names[0] : names[0] + 1] and tokens[names[0]].kind == "name":
            stop = names[0] + 1
            while stop + 1 < len(tokens) and tokens[stop].kind in ("comma", "and"):
                following = stop + 1 + (tokens[stop].kind == "comma" and tokens[stop + 1].kind == "and")
                if following >= len(tokens) or tokens[following].kind != "name":
                    break
                names.append(following)
                stop = following + 1
            if len(names) > 1 and tokens[names[-1] - 1].kind == "and":
                end = stop
                while end < len(tokens) and tokens[end].kind not in ("comma", "and", "connective", "relative"):
                    end += 1
                for name in names:
                    found += [] if name == names[0] else [tokens[names[-1] - 1]]
                    found += [token, tokens[name], *tokens[stop:end]]
                at = end
                continue
        found.append(token)
        at += 1
    return found
