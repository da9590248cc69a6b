"""Shares out what two names have in common: "after both X and Y left" is "after X left and after Y left".

Paper: section 4.3.2.
"""

from __future__ import annotations

from agents.offline.verifier_tokens import CLAUSE_BOUNDS, Token


def spread(tokens: list[Token]) -> list[Token]:
    """The tokens with "after both X and Y left" as "after X left and after Y left", and so with what is said of both."""
    return _adjuncts(_statements(tokens))


def _statements(tokens: list[Token]) -> list[Token]:
    """The tokens with "that joined both X and Y" as "that joined X and joined Y", "that both X and Y left" likewise."""
    for at, token in enumerate(tokens):
        first, link, second = tokens[at + 1 : at + 4] if len(tokens) > at + 3 else (token,) * 3
        if token.text != "both" or [first.kind, link.kind, second.kind] != ["name", "and", "name"]:
            continue
        opening = at
        while opening and tokens[opening - 1].kind not in CLAUSE_BOUNDS:
            opening -= 1
        closing = at + 4
        while closing < len(tokens) and tokens[closing].kind not in CLAUSE_BOUNDS:
            closing += 1
        said, rest = tokens[opening:at], tokens[at + 4 : closing]
        is_relative = opening > 0 and tokens[opening - 1].kind == "relative"
        follows = tokens[closing].kind if closing < len(tokens) else "comma"
        if not is_relative or follows != "comma" or bool(said) == bool(rest) or any(other.kind == "name" for other in (*said, *rest)):
            continue
        again = [link, *([] if said else [tokens[opening - 1]])]
        return [*tokens[:opening], *said, first, *rest, *again, *said, second, *rest, *tokens[closing:]]
    return tokens


def _adjuncts(tokens: list[Token]) -> list[Token]:
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
                while end < len(tokens) and tokens[end].kind not in CLAUSE_BOUNDS:
                    end += 1
                for name in names:
                    found += [] if name == names[0] else [tokens[names[-1] - 1]]
                    found += [token, tokens[name], *tokens[stop:end]]
                at = end
                continue
        found.append(token)
        at += 1
    return found
