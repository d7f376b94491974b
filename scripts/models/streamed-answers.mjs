// A model's turn as each API streams it: a text of server-sent events with all parts of the whole answer.

/** @param {object} message - As the Messages API answers without a stream. */
export function anthropicEvents({ content, stop_reason, usage, ...message }) {
  const start = { ...message, content: [], stop_reason: null, usage };
  const blocks = content.flatMap((block, index) => {
    const [empty, delta] = anthropicBlock(block);
    return [
      { type: 'content_block_start', index, content_block: empty },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ];
  });
  return eventsOf([
    { type: 'message_start', message: start },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ]);
}

function anthropicBlock(block) {
  if (block.type === 'text')
    return [
      { ...block, text: '' },
      { type: 'text_delta', text: block.text },
    ];
  return [
    { ...block, input: {} },
    { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
  ];
}

/** @param {object} response - As the Responses API answers without a stream. */
export function responsesEvents(response) {
  const items = response.output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } },
    { type: 'response.output_item.done', output_index, item },
  ]);
  return eventsOf([
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...items,
    { type: 'response.completed', response },
  ]);
}

/** @param {object} answer - As `generateContent` answers, which is one event of `streamGenerateContent`. */
export function googleEvents(answer) {
  return `data: ${JSON.stringify(answer)}\n\n`;
}

function eventsOf(events) {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}
