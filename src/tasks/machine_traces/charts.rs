//! Charts of networks on traces of a machine.

crate::charts! {
    /// All of them, in the order of links and switches.
    CHARTS;
    /// Loss on held-out traces, and the lowest expected loss that any predictor can have.
    FLOOR = "floor", "Loss and the least possible loss", "Loss", Lines;
    /// Accuracy on cells that were written before, whose symbol follows from the trace, and on new cells, whose symbol is random.
    CELLS = "cells", "Accuracy on written and on new cells", "Cells", Lines;
    /// Accuracy on written cells by the number of steps since the last write.
    BACK = "stepsback", "Accuracy by steps since the write", "Steps back", Bars;
    /// Attention to the most recent write to the cell, if this write was four or more steps ago: the largest of any head, for each layer.
    WRITES = "writes", "Attention on the most recent write", "On write", Lines;
    /// Accuracy on cells written within the context, where the context is the end of a run that is longer than the training runs.
    LONGER = "longer", "Accuracy on longer runs", "Longer", Lines;
    /// Attention on the chosen trace, with the most recent write to the next cell outlined in each row.
    LOOKS = "lookback", "Attention on a trace", "Attention", Grid;
    /// Attention of each head to the most recent write, averaged over the chosen trace, compared with uniform attention.
    HEADS = "headswrite", "Attention on the write, head by head", "Heads", Bars;
    /// Where the head of the machine is at each step of the chosen trace, and where the network's prediction is wrong.
    PATH = "path", "Path of the machine's head", "Path", Lines;
}
