"""Speed, memory and accuracy of skpostbac over time; run by asv."""
