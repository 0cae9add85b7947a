//! Charts of networks on traces of a machine.

crate::charts! {
    /// Every chart of this task, in the order of links and buttons.
    CHARTS;
    /// Loss on held-out traces, and the lowest expected loss that any predictor can have.
    FLOOR = "floor", "Loss and the lowest possible loss", "Least loss", Lines;
    /// Accuracy on cells that the machine has written before, and on new cells. The trace determines the symbol on a written cell; the symbol on a new cell is random.
    CELLS = "cells", "Accuracy on written and on new cells", "Cells", Lines;
    /// Accuracy on written cells by the number of steps since the last write.
    BACK = "stepsback", "Accuracy by steps since the last write", "Steps back", Bars;
    /// For each layer: the largest attention of a head on the last write to the cell of the predicted symbol; only writes at least four steps ago count.
    WRITES = "writes", "Attention on the most recent write", "On write", Lines;
    /// Accuracy on longer traces than in training. The network reads only the last part of a trace; only predictions for cells written in this part are counted.
    LONGER = "longer", "Accuracy on longer traces", "Long runs", Lines;
    /// Attention weights on the chosen trace. In each row, the most recent write to the next cell is outlined.
    LOOKS = "lookback", "Attention on a trace", "Attention", Grid;
    /// Attention of each head to the most recent write, averaged over the chosen trace, compared with uniform attention.
    HEADS = "headswrite", "Attention on the most recent write, by head", "Heads", Bars;
    /// Cell of the machine's head at each step of the chosen trace. Points mark the network's wrong predictions.
    PATH = "path", "Path of the machine's head", "Path", Lines;
}
