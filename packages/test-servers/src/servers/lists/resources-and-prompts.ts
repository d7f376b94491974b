// Has resources, templates, prompts, completion and a log, with invalid entries in its lists and unknown keys in its
// results. The tool `touch` reports a changed resource, `subscriptions` returns the subscribed ones.
import { echoTool, type Params, pidTool, RpcError, serve } from '../../serving/json-lines.js';

const subscribed = new Set<string>();
let level = 'none';
const text = (uri: string) => ({ uri, mimeType: 'text/plain', text: `the text of ${uri}`, 'x-extra': 1 });

const connection = serve({
  methods: {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        completions: {},
        logging: {},
      },
      serverInfo: { name: 'resources-and-prompts', version: '1.0.0' },
      instructions: 'Read before you write.',
    }),
    'resources/list': ({ cursor }) =>
      cursor === 'two'
        ? {
            resources: [
              { uri: 'test://b', name: 'b', 'x-extra': [1] },
              { uri: 'test://a', name: 'again' },
            ],
          }
        : { resources: [{ uri: 'test://a', name: 'a' }, { name: 'without a URI' }, 'no object'], nextCursor: 'two' },
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'test://{name}', name: 'any' }, {}] }),
    'resources/read': ({ uri, _meta }) => {
      if (uri === 'test://missing') throw new RpcError(-32_002, 'Resource not found', { uri, hint: 'look elsewhere' });
      return { contents: [text(String(uri))], _meta: { received: _meta }, 'x-extra': { kept: true } };
    },
    'resources/subscribe': ({ uri }) => {
      if (uri === 'test://secret') throw new RpcError(-32_602, 'Not that one');
      subscribed.add(String(uri));
      return {};
    },
    'resources/unsubscribe': ({ uri }) => {
      subscribed.delete(String(uri));
      return {};
    },
    'prompts/list': () => ({
      prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }, { name: '' }],
    }),
    'prompts/get': ({ name, arguments: args }) => ({
      description: String(name),
      messages: [{ role: 'user', content: { type: 'text', text: `Hello ${(args as Params).who}` } }],
    }),
    'completion/complete': ({ ref, argument, context }) => ({
      completion: { values: [`${(argument as Params).value}!`], total: 1, hasMore: false },
      asked: { ref, context },
    }),
    'logging/setLevel': (params) => {
      level = String(params.level);
      return {};
    },
  },
  tools: [
    echoTool,
    pidTool,
    { name: 'subscriptions', run: () => JSON.stringify([...subscribed]) },
    { name: 'level', run: () => level },
    {
      name: 'touch',
      properties: { uri: { type: 'string' }, times: { type: 'integer' } },
      run: ({ uri, times = 1 }) => {
        for (let time = 0; time < Number(times); time += 1)
          connection.notify('notifications/resources/updated', { uri });
        return 'touched';
      },
    },
    {
      name: 'log',
      properties: { level: { type: 'string' }, data: {} },
      run: (entry) => {
        connection.notify('notifications/message', entry);
        return 'logged';
      },
    },
    {
      name: 'announce',
      description: 'Says that a list has changed',
      properties: { list: { type: 'string' }, times: { type: 'integer' } },
      run: ({ list, times = 1 }) => {
        for (let time = 0; time < Number(times); time += 1) connection.notify(`notifications/${list}/list_changed`);
        return 'announced';
      },
    },
    { name: 'exit', run: () => process.exit(3) },
  ],
});
