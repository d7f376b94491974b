// Has tools with output schemas, most of them violated or invalid.
import { echoTool, type ServedTool, serve, textResult } from '../../serving/json-lines.js';

const point = {
  type: 'object',
  properties: { x: { type: 'number' }, tags: { type: 'array', items: { type: 'string' } } },
  required: ['x'],
};
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { a: nested(levels - 1) } };

/** Each references the previous one twice, so that a check takes exponential time. */
const doubling = (levels: number): object =>
  Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, level) => {
      const before = { $ref: `#/$defs/d${level - 1}` };
      return [`d${level}`, level === 0 ? { type: 'object' } : { allOf: [before, before] }];
    }),
  );

const answers: Readonly<Record<string, { schema: object; result: object }>> = {
  good: { schema: point, result: { ...textResult('ok'), structuredContent: { x: 1, tags: ['a'], more: true } } },
  wrong: { schema: point, result: { ...textResult('?'), structuredContent: { x: 'one', tags: ['a', 2] } } },
  missing: { schema: point, result: textResult('no structure') },
  failed: { schema: point, result: { ...textResult('did not work'), isError: true } },
  broken_schema: { schema: { type: 'no such type' }, result: { ...textResult('ok'), structuredContent: { x: 'one' } } },
  elsewhere: {
    schema: { $ref: 'http://127.0.0.1:9/schema.json' },
    result: { ...textResult('ok'), structuredContent: {} },
  },
  deep: { schema: nested(100), result: { ...textResult('ok'), structuredContent: {} } },
  huge: {
    schema: { ...point, description: 'x'.repeat(300_000) },
    result: { ...textResult('ok'), structuredContent: {} },
  },
  endless: {
    schema: { $defs: doubling(40), $ref: '#/$defs/d40' },
    result: { ...textResult('ok'), structuredContent: {} },
  },
  slow: {
    schema: { type: 'object', properties: { s: { type: 'string', pattern: '^(a+)+$' } } },
    result: { ...textResult('ok'), structuredContent: { s: `${'a'.repeat(60)}!` } },
  },
};

const tools = Object.entries(answers).map(([name, { schema, result }]) => ({
  name,
  outputSchema: schema,
  run: () => result,
}));
const served: readonly ServedTool[] = [echoTool, ...tools];

serve({
  tools: served,
  methods: {
    'tools/list': () => ({
      tools: [
        { name: 'echo', inputSchema: { type: 'object' } },
        ...tools.map(({ name, outputSchema }) => ({ name, inputSchema: { type: 'object' }, outputSchema })),
      ],
    }),
  },
});
