package tfevents

import (
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of the fields used, from summary.proto, tensor.proto, tensor_shape.proto, struct.proto,
// and of TensorBoard's plugin of hyper-parameters plugin_data.proto.
const (
	valueMetadata    = 9 // SummaryMetadata
	valueTensor      = 8 // TensorProto
	metadataPlugin   = 1 // PluginData
	pluginName       = 1 // string
	pluginContent    = 2 // bytes
	dataSessionStart = 3 // SessionStartInfo
	startHParams     = 1 // map<string, Value>
	startGroup       = 4 // string
	startTime        = 5 // double, seconds since 1970
	mapKey           = 1
	mapValue         = 2
	structNumber     = 2 // double
	structString     = 3
	structBool       = 4
	tensorType       = 1 // DataType; 1 is float
	tensorShape      = 2
	tensorContent    = 4 // bytes
	shapeDim         = 2
	dimSize          = 1
)

// HParamsTag is the tag of hyper-parameters.
const HParamsTag = "_hparams_/session_start_info"

// HParam is a hyper-parameter: a float64, a string or a bool. Other types are not written.
type HParam struct {
	Name  string
	Value any
}

// HParams writes the hyper-parameters of a run, which TensorBoard shows beside its scalars. group
// is the name of runs that differ in their random numbers alone.
func (w *Writer) HParams(at time.Time, group string, list []HParam) error {
	var start []byte
	for _, h := range list {
		var value []byte
		switch v := h.Value.(type) {
		case float64:
			value = protowire.AppendTag(value, structNumber, protowire.Fixed64Type)
			value = protowire.AppendFixed64(value, math.Float64bits(v))
		case string:
			value = protowire.AppendTag(value, structString, protowire.BytesType)
			value = protowire.AppendString(value, v)
		case bool:
			value = protowire.AppendTag(value, structBool, protowire.VarintType)
			value = protowire.AppendVarint(value, protowire.EncodeBool(v))
		default:
			continue
		}
		entry := appendBytes(nil, mapKey, []byte(h.Name))
		start = appendBytes(start, startHParams, appendBytes(entry, mapValue, value))
	}
	start = appendBytes(start, startGroup, []byte(group))
	start = protowire.AppendTag(start, startTime, protowire.Fixed64Type)
	start = protowire.AppendFixed64(start, math.Float64bits(float64(at.UnixMilli())/1000))

	plugin := appendBytes(nil, pluginName, []byte("hparams"))
	plugin = appendBytes(plugin, pluginContent, appendBytes(nil, dataSessionStart, start))
	dim := protowire.AppendVarint(protowire.AppendTag(nil, dimSize, protowire.VarintType), 1)
	tensor := protowire.AppendVarint(protowire.AppendTag(nil, tensorType, protowire.VarintType), 1)
	tensor = appendBytes(tensor, tensorShape, appendBytes(nil, shapeDim, dim))
	tensor = appendBytes(tensor, tensorContent, make([]byte, 4))
	value := appendBytes(nil, valueTag, []byte(HParamsTag))
	value = appendBytes(value, valueTensor, tensor)
	value = appendBytes(value, valueMetadata, appendBytes(nil, metadataPlugin, plugin))

	w.begin(at)
	w.event = appendBytes(w.event, eventSummary, appendBytes(nil, summaryValue, value))
	return w.flush()
}

// appendBytes appends a field of bytes: a string or a message.
func appendBytes(dst []byte, field protowire.Number, content []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(dst, field, protowire.BytesType), content)
}
