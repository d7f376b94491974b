// A server for the suite that is not on the protocol's SDK: on tmcp, an implementation of its own of both eras. With `--stdio`
// it serves its stdin and stdout, else HTTP, and prints its URL. What tmcp cannot do, such as questions for roots, is left out.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { HttpTransport } from '@tmcp/transport-http';
import { StdioTransport } from '@tmcp/transport-stdio';
import { McpServer } from 'tmcp';
import { prompt, resource, tool } from 'tmcp/utils';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==';
const stepMs = 50;
const watched = 'test://watched-resource';

const server = new McpServer(
  { name: 'independent', version: '1.0.0' },
  {
    adapter: { toJsonSchema: async (schema) => schema.json },
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    },
  },
);
addTools();
addToolsWithoutTasks();
addAskingTools();
addPrompts();
addResources();
addTriggers();
if (process.argv.includes('--stdio')) new StdioTransport(server).listen();
else
  console.log(JSON.stringify({ url: await listen(new HttpTransport(server, { path: '/mcp', allowedOrigins: [] })) }));

/** JSON Schema as a Standard Schema, which checks nothing. */
function unchecked(properties, keywords) {
  const json = { type: 'object', properties, ...keywords };
  return { json, '~standard': { version: 1, vendor: 'unchecked', validate: (value) => ({ value }) } };
}

function add(name, answer, { schema, replayable } = {}) {
  const definition = { name, description: `For the suite: ${name}`, ...(schema && { schema }) };
  server.tool({ ...definition, ...(replayable && { replayable }) }, answer);
}

function addTools() {
  const embedded = (uri, mimeType, text) => tool.resource({ uri, mimeType, text });
  const image = tool.media('image', png, 'image/png');
  add('test_simple_text', () => tool.text('This is a simple text response for testing.'));
  add('test_image_content', () => image);
  add('test_audio_content', () => tool.media('audio', wav, 'audio/wav'));
  add('test_embedded_resource', () =>
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  );
  add('test_multiple_content_types', () =>
    tool.mix([
      tool.text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ]),
  );
  add('test_error_handling', () => tool.error('This tool intentionally returns an error for testing'));
  add('test_tool_with_logging', async () => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      server.log('info', words);
      await delay(stepMs);
    }
    return tool.text('Tool with logging executed successfully');
  });
  add('test_logging_tool', () => {
    server.log('info', 'Logging tool executed');
    return tool.text('Logging tool executed successfully');
  });
  add('test_tool_with_progress', async () => {
    for (const progress of [0, 50, 100]) {
      server.progress(progress, 100);
      await delay(stepMs);
    }
    return tool.text('Tool with progress executed successfully');
  });
  const region = unchecked({ region: { type: 'string', 'x-mcp-header': 'Region' } }, { required: ['region'] });
  add('test_custom_header', (args) => tool.text(JSON.stringify(args)), { schema: region });
  const contact = unchecked(
    { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: {
        address: {
          $anchor: 'addressDef',
          type: 'object',
          properties: { street: { type: 'string' }, city: { type: 'string' } },
        },
      },
      allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }] }],
      if: { required: ['name'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { name: { minLength: 1 } } },
      else: { required: ['address'] },
      additionalProperties: false,
    },
  );
  add('json_schema_2020_12_tool', (args) => tool.text(JSON.stringify(args)), { schema: contact });
}

/** Tools that the suite would have as tasks, and as ordinary tools of a server that has none. */
function addToolsWithoutTasks() {
  for (const name of ['greet', 'slow_compute', 'failing_job', 'protocol_error_job', 'confirm_delete', 'multi_input'])
    add(name, () => tool.text('Done at once'));
  add('test_tool_with_task', () => tool.text('Done at once'));
  add('test_reconnection', () => tool.text('Done at once'));
}

function addAskingTools() {
  const replayable = true;
  const text = { type: 'string' };
  const ask = (message, properties, key) => server.elicitation(message, unchecked(properties), key && { key });
  const askModel = (words, key) =>
    server.message(
      { messages: [{ role: 'user', content: { type: 'text', text: words } }], maxTokens: 100 },
      key && { key },
    );
  const told = ({ action, content = {} }) =>
    tool.text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`);
  add(
    'test_sampling',
    async ({ prompt: words }) => tool.text(`LLM response: ${JSON.stringify((await askModel(words)).content)}`),
    {
      schema: unchecked({ prompt: text }),
      replayable,
    },
  );
  add('test_missing_capability', async () => tool.text(`The model: ${(await askModel('Are you there?')).model}`), {
    replayable,
  });
  add('test_elicitation', async ({ message }) => told(await ask(message, { username: text, email: text })), {
    schema: unchecked({ message: text }),
    replayable,
  });
  const choices = ['option1', 'option2', 'option3'];
  const titled = choices.map((option) => ({ const: option, title: `The ${option}` }));
  const forms = {
    test_elicitation_sep1034_defaults: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
    test_elicitation_sep1330_enums: {
      untitledSingle: { type: 'string', enum: choices },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: { type: 'string', enum: choices, enumNames: ['One', 'Two', 'Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: choices } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    },
    test_streaming_elicitation: { username: text },
  };
  for (const [name, form] of Object.entries(forms))
    add(name, async () => told(await ask('Please fill in the form', form)), { replayable });

  const askName = (key = 'user_name') => ask('What is your name?', { name: text }, key);
  add('test_input_required_result_elicitation', async () => tool.text(`Hello, ${(await askName()).content?.name}!`), {
    replayable,
  });
  add(
    'test_input_required_result_sampling',
    async () => {
      const { content } = await askModel('What is the capital of France?', 'capital_question');
      return tool.text(`The model said: ${JSON.stringify(content)}`);
    },
    { replayable },
  );
  add(
    'test_input_required_result_request_state',
    async () => {
      server.setRequestState({ round: 1 });
      await ask('Please confirm', { ok: { type: 'boolean' } }, 'confirm');
      return tool.text('state-ok');
    },
    { replayable },
  );
  add(
    'test_input_required_result_multi_round',
    async () => {
      server.setRequestState({ round: 1 });
      const { content: first } = await askName('step1');
      server.setRequestState({ round: 2 });
      const { content: second } = await ask('What is your favorite color?', { color: text }, 'step2');
      return tool.text(`${first?.name} likes ${second?.color}`);
    },
    { replayable },
  );
}

function addPrompts() {
  const image = prompt.media('image', png, 'image/png');
  const word = { type: 'string' };
  const add = (name, answer, schema) =>
    server.prompt({ name, description: `For the suite: ${name}`, ...(schema && { schema }) }, answer);
  add('test_simple_prompt', () => prompt.text('This is a simple prompt for testing.'));
  const words = ['paris', 'park', 'party', 'test', 'testing'];
  const complete = (start) => ({
    completion: { values: words.filter((each) => each.startsWith(start)), hasMore: false },
  });
  server.prompt(
    {
      name: 'test_prompt_with_arguments',
      description: 'For the suite: two arguments',
      schema: unchecked({ arg1: word, arg2: word }, { required: ['arg1', 'arg2'] }),
      complete: { arg1: complete, arg2: complete },
    },
    ({ arg1, arg2 }) => prompt.text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  );
  add(
    'test_prompt_with_embedded_resource',
    ({ resourceUri: uri }) =>
      prompt.mix([
        prompt.resource({ uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }),
        prompt.text('Please process the embedded resource above.'),
      ]),
    unchecked({ resourceUri: word }, { required: ['resourceUri'] }),
  );
  add('test_prompt_with_image', () => prompt.mix([image, prompt.text('Please analyze the image above.')]));
}

function addResources() {
  const add = (name, uri, answer) => server.resource({ name, description: `For the suite: ${name}`, uri }, answer);
  add('static-text', 'test://static-text', (uri) =>
    resource.text(uri, 'This is the content of the static text resource.', 'text/plain'),
  );
  add('static-binary', 'test://static-binary', (uri) => resource.blob(uri, png, 'image/png'));
  add('watched-resource', watched, (uri) => resource.text(uri, 'Watched resource content.', 'text/plain'));
  server.template(
    { name: 'template', description: 'For the suite: a template', uri: 'test://template/{id}/data' },
    (uri, { id }) =>
      resource.text(uri, `{"id":"${id}","templateTest":true,"data":"Data for ID: ${id}"}`, 'application/json'),
  );
}

/** Lists change for real: an entry comes and goes. */
function addTriggers() {
  const listed = { tools: false, prompts: false };
  server.tool({ name: 'test_extra_tool', description: 'Comes and goes', enabled: () => listed.tools }, () =>
    tool.text('Still here'),
  );
  server.prompt({ name: 'test_extra_prompt', description: 'Comes and goes', enabled: () => listed.prompts }, () =>
    prompt.text('Still here'),
  );
  const toggle = (list) => {
    listed[list] = !listed[list];
    server.changed(list);
    return tool.text('Changed');
  };
  add('test_trigger_tool_change', () => toggle('tools'));
  add('test_trigger_prompt_change', () => toggle('prompts'));
  add('test_trigger_resource_change', () => {
    server.changed('resource', watched);
    return tool.text('Changed');
  });
}

async function listen(transport) {
  const http = createServer(async (request, response) => {
    const aborted = new AbortController();
    response.once('close', () => aborted.abort());
    const answer = await transport.respond(webRequest(request, aborted.signal));
    response.writeHead(answer?.status ?? 404, Object.fromEntries(answer?.headers ?? []));
    // The client may leave first.
    await pipeline(answer?.body ? Readable.fromWeb(answer.body) : Readable.from([]), response).catch(() => undefined);
  });
  await new Promise((listening) => http.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${http.address().port}/mcp`;
}

function webRequest(request, signal) {
  const { headers, method, url } = request;
  const hasBody = method === 'POST';
  return new Request(`http://${headers.host}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
    signal,
    ...(hasBody && { body: Readable.toWeb(request), duplex: 'half' }),
  });
}
