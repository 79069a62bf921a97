"""Pictures of posteriors, comparisons, searches and curves; they need matplotlib when they draw."""

__all__: list[str] = []
