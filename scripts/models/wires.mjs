// The providers' APIs as far as a tool call goes: how a model's turn looks on the wire, and where a request has the
// definitions and the results of tools. Parts of a result are `{ text }`,
// `{ image, mediaType }` or, of a search, `{ reference }`.
import { anthropicEvents, googleEvents, responsesEvents } from './streamed-answers.mjs';

/**
 * `namespace` is that of the called tool's definition, in the Responses API alone.
 *
 * @typedef {{ call: string, namespace?: string, args: object } | { search: string } | { text: string }} Turn
 */

const usage = { input_tokens: 1, output_tokens: 1 };

/** Messages API of Anthropic. */
const anthropic = {
  answer(turn, id) {
    const content =
      'text' in turn
        ? [{ type: 'text', text: turn.text }]
        : [{ type: 'tool_use', id, name: nameOf(turn), input: argumentsOf(turn) }];
    const stop_reason = 'text' in turn ? 'end_turn' : 'tool_use';
    return { id, type: 'message', role: 'assistant', model: 'model', content, stop_reason, stop_sequence: null, usage };
  },
  events: anthropicEvents,
  definitions: ({ tools = [] }) =>
    tools.map(({ name, input_schema, defer_loading }) => ({ name, schema: input_schema, deferred: defer_loading })),
  results: ({ messages }) =>
    messages
      .flatMap(({ content }) => (Array.isArray(content) ? content : []))
      .filter(({ type }) => type === 'tool_result')
      .map(({ content }) => [content].flat().map(anthropicPart)),
};

function anthropicPart(part) {
  if (typeof part === 'string') return { text: part };
  if (part.type === 'tool_reference') return { reference: part.tool_name };
  if (part.type === 'image') return { image: part.source.data, mediaType: part.source.media_type };
  return { text: part.text };
}

/** Chat Completions API of OpenAI. */
const openaiChat = {
  answer(turn, id) {
    const called = () => [
      { id, type: 'function', function: { name: nameOf(turn), arguments: JSON.stringify(argumentsOf(turn)) } },
    ];
    const isText = 'text' in turn;
    const message = { role: 'assistant', refusal: null, content: turn.text ?? null };
    const choice = {
      index: 0,
      logprobs: null,
      finish_reason: isText ? 'stop' : 'tool_calls',
      message: isText ? message : { ...message, tool_calls: called() },
    };
    const tokens = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    return { id, object: 'chat.completion', created: 0, model: 'model', choices: [choice], usage: tokens };
  },
  definitions: ({ tools = [] }) => tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
  results: ({ messages }) =>
    messages.filter(({ role }) => role === 'tool').map(({ content }) => [content].flat().map(openaiPart)),
};

/** Responses API of OpenAI. */
const openaiResponses = {
  answer(turn, id) {
    const status = 'completed';
    const output = {
      text: () => ({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: turn.text, annotations: [] }],
      }),
      search: () => ({ type: 'tool_search_call', call_id: id, execution: 'client', arguments: { query: turn.search } }),
      call: () => ({
        type: 'function_call',
        call_id: id,
        name: turn.call,
        ...(turn.namespace !== undefined && { namespace: turn.namespace }),
        arguments: JSON.stringify(turn.args),
      }),
    };
    const kind = Object.keys(output).find((each) => each in turn);
    return {
      id: `resp_${id}`,
      object: 'response',
      created_at: 0,
      status,
      model: 'model',
      output: [{ id: `item_${id}`, status, ...output[kind]() }],
      usage: {
        ...usage,
        total_tokens: 2,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens_details: { reasoning_tokens: 0 },
      },
      error: null,
      incomplete_details: null,
      instructions: null,
      metadata: {},
      parallel_tool_calls: true,
      temperature: 1,
      tool_choice: 'auto',
      tools: [],
      top_p: 1,
    };
  },
  events: responsesEvents,
  definitions: ({ tools = [], input }) =>
    [...tools, ...input.flatMap((item) => (item.type === 'tool_search_output' ? item.tools : []))]
      .flatMap((tool) => (tool.type === 'namespace' ? inNamespace(tool) : [tool]))
      .map(({ type, name = type, namespace, parameters, defer_loading }) => ({
        name,
        schema: parameters,
        deferred: defer_loading,
        ...(namespace !== undefined && { namespace }),
      })),
  results: ({ input }) =>
    input.flatMap((item) => {
      if (item.type === 'function_call_output') return [[item.output].flat().map(openaiPart)];
      if (item.type === 'tool_search_output') return [item.tools.map(({ name }) => ({ reference: name }))];
      return [];
    }),
};

function inNamespace({ name: namespace, tools }) {
  return tools.map((tool) => ({ ...tool, namespace }));
}

function openaiPart(part) {
  if (typeof part === 'string') return { text: part };
  if (part.image_url === undefined) return { text: part.text };
  const [, mediaType, image] = /^data:([^;]+);base64,(.*)$/.exec(part.image_url?.url ?? part.image_url) ?? [];
  return { image, mediaType };
}

/** `generateContent` of the Gemini API. */
const google = {
  answer(turn, id) {
    const part =
      'text' in turn ? { text: turn.text } : { functionCall: { id, name: nameOf(turn), args: argumentsOf(turn) } };
    const candidate = { index: 0, finishReason: 'STOP', content: { role: 'model', parts: [part] } };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return { candidates: [candidate], usageMetadata, modelVersion: 'model', responseId: id };
  },
  events: googleEvents,
  definitions: ({ tools = [] }) =>
    tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }) => ({ name, schema: parametersJsonSchema ?? parameters })),
  results: ({ contents }) =>
    contents
      .flatMap(({ parts }) => parts)
      .flatMap(({ functionResponse }) => (functionResponse === undefined ? [] : [googleParts(functionResponse)])),
};

function googleParts({ response, parts = [] }) {
  const images = parts.map(({ inlineData: { data, mimeType } }) => ({ image: data, mediaType: mimeType }));
  return [{ text: response.output ?? response.error }, ...images];
}

function nameOf(turn) {
  return 'search' in turn ? 'search_mcp_tools' : turn.call;
}

function argumentsOf(turn) {
  return 'search' in turn ? { query: turn.search } : turn.args;
}

/** By the end of the path that an SDK asks. */
export const wires = new Map([
  ['/messages', anthropic],
  ['/chat/completions', openaiChat],
  ['/responses', openaiResponses],
  [':generateContent', google],
  [':streamGenerateContent', google],
]);
