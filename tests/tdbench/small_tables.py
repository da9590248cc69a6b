"""Two small tables of an invented country, and a config that asks about them offline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

MAYORS = """town,office,name,start,end
Arn,Mayor,Ada Berg,1990-01-01,1998-03-01
Arn,Mayor,Bo Lind,1998-03-01,2006-05-01
Arn,Mayor,Cy Roth,2006-05-01,
Belm,Mayor,Dee Falk,1988-07-01,1995-02-01
Belm,Mayor,Eli Noor,1995-02-01,2011-09-01
Belm,Mayor,Fay Ott,2011-09-01,
Corv,Mayor,Gus Pahl,1992-01-01,2003-06-01
Corv,Mayor,Hana Quist,2003-06-01,2015-04-01
Corv,Mayor,Ida Rusk,2015-04-01,
"""
FAIRS = """fair,town,start,end
Fair of 1994,Arn,1994-05-01,1994-05-20
Fair of 1999,Belm,1999-05-01,1999-05-20
Fair of 2004,Corv,2004-05-01,2004-05-20
Fair of 2012,Arn,2012-05-01,2012-05-20
"""


def write_config(folder: Path, *, mayors: str = MAYORS, **changes: Any) -> Path:
    """Writes both tables and a config into a folder; `changes` are keys of its section `tdbench`."""
    (folder / "mayors.csv").write_text(mayors)
    (folder / "fairs.csv").write_text(FAIRS)
    tdbench = {
        "as_of": "2024-01-01",
        "relations": ["during", "meet"],
        "per_cardinality": 6,
        "paraphrases": 2,
        "foils": 4,
        "tables": {
            "mayors": {
                "path": str(folder / "mayors.csv"),
                "granularity": "day",
                "dependencies": [{"determinants": ["town", "office"], "dependent": "name"}],
            },
            "fairs": {
                "path": str(folder / "fairs.csv"),
                "ends": "inclusive",
                "granularity": "day",
                "dependencies": [{"determinants": ["town"], "dependent": "fair"}],
            },
        },
        "joins": {"hosts": {"tables": ["fairs", "mayors"]}},
        **changes,
    }
    path = folder / "towns.yaml"
    path.write_text(yaml.safe_dump({"dataset": "towns", "tdbench": tdbench}))
    return path
