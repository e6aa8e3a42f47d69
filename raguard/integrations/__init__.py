"""How does a framework hand over question, documents and answer, and get back what to show? One file for each.

Every one of them asks a ``raguard.gate.Gate``; its framework is imported with it and comes with the extra of its name.
"""
