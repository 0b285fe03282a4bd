"""JSON, written and read again."""

import json

record = {"name": "node", "values": [1, 2.5, None, True, "text"], "child": {"id": 7, "tags": ["a", "b\u00e9"]}}


def visit(value) -> int:
    if isinstance(value, dict):
        return sum(visit(item) + len(key) for key, item in value.items())
    if isinstance(value, list):
        return sum(visit(item) for item in value)
    return 1 if value is None else len(str(value))


total = 0
for i in range(700):
    record["child"]["id"] = i
    text = json.dumps(record)
    total += len(text) + visit(json.loads(text))
print(total, len(json.dumps(record, indent=2, sort_keys=True)))
