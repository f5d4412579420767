package driver

// MeasurePeakOf is MeasurePeak with matrices of a size and a duration of each measurement.
var MeasurePeakOf = measurePeak
