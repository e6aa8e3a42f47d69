"""How does a program ask a service? By the methods of ``Verifier``, over HTTP.

>>> from raguard import Client
>>> with Client("http://127.0.0.1:9", timeout_s=1) as client:
...     result = client.verify("When?", ["It closed on 4 May 2024."], "It closed on 9 May 2024.")
>>> result.action, result.warnings[0].type
('review', 'check_error')
"""

from __future__ import annotations

from raguard.client.client import Client
from raguard.client.exchange import ServiceError

__all__ = ["Client", "ServiceError"]
