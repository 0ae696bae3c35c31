"""The page of `bench report`: one file that shows systems on their benchmarks, and needs no other."""
