import { test } from 'vitest';
import { type ClientManager, createClientManager, type ManagedServer } from '../src/index.js';

declare const manager: ClientManager;
declare const server: ManagedServer;

test('types refuse what is likely to be a mistake', () => {
  // @ts-expect-error a promise
  createClientManager(Promise.resolve({ servers: [] }));
  // @ts-expect-error a list
  createClientManager([{ name: 'files', command: 'npx' }]);
  // @ts-expect-error options among the servers
  createClientManager({ servers: [], callTimeoutMs: 5_000 });
  // @ts-expect-error a misspelt option
  createClientManager({ servers: [] }, { callTimeout: 5_000 });
  // @ts-expect-error a list of variables
  createClientManager({ servers: [{ name: 'files', command: 'npx', env: ['LEVEL=debug'] }] });
  // @ts-expect-error a text of arguments
  createClientManager({ servers: { files: { command: 'npx', args: '-y files-mcp' } } });
  // @ts-expect-error the spelling of the file
  createClientManager({ servers: [{ name: 'files', command: 'npx', auto_start: true }] });
  // @ts-expect-error the name of a server
  void manager.start('files');
  // @ts-expect-error a misspelt option
  void manager.stop({ forced: true });
  // @ts-expect-error a list
  void manager.apply([]);
  // @ts-expect-error no event has this name
  manager.events.on('server-ready', () => undefined);
  // @ts-expect-error the form of the SDK
  void server.callTool({ name: 'echo', arguments: {} });
  // @ts-expect-error JSON text
  void server.callTool('echo', '{}');
  // @ts-expect-error a misspelt option
  void server.callTool('echo', {}, { timeout: 5_000 });
  // @ts-expect-error starts have no time limit of their own
  void server.start({ timeoutMs: 5_000 });
});
