import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { png } from './sample-data.js';

/** The resource that the suite subscribes to. */
export const watchedUri = 'test://watched-resource';

export function addResources(server: McpServer): void {
  const text = { description: 'A text that stays the same', mimeType: 'text/plain' };
  server.registerResource('static-text', 'test://static-text', text, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  const binary = { description: 'An image that stays the same', mimeType: 'image/png' };
  server.registerResource('static-binary', 'test://static-binary', binary, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: png }],
  }));
  const watched = { description: 'A text to subscribe to', mimeType: 'text/plain' };
  server.registerResource('watched-resource', watchedUri, watched, ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'Watched resource content.' }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', {
    list: undefined,
    complete: { id: (start) => ['123', '124', '456'].filter((id) => id.startsWith(start)) },
  });
  const data = { description: 'Data for any id', mimeType: 'application/json' };
  server.registerResource('template', template, data, ({ href: uri }, { id }) => ({
    contents: [
      {
        uri,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      },
    ],
  }));
}
