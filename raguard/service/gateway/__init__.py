"""How does a model's answer pass through? Upstream, documents, chat completions, questions."""
