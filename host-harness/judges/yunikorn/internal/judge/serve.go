// Package judge runs one attempt of yunikorn-core to schedule a pod, and reports the decision.
package judge

// AnswerLine answers one request.
func AnswerLine(line []byte) (any, error) {
	request, err := readRequest(line)
	if err != nil {
		return nil, err
	}
	return Decide(request)
}
