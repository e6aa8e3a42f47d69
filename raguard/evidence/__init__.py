"""Do the documents state it, where, and what do they say instead?"""
