import type { McpServer } from '@modelcontextprotocol/server';
import { image, say, text, wav } from './sample-data.js';

/** One tool for each kind of content. */
export function addContentTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Answers with a text' }, () =>
    say('This is a simple text response for testing.'),
  );
  server.registerTool('test_image_content', { description: 'Answers with an image' }, () => ({ content: [image] }));
  server.registerTool('test_audio_content', { description: 'Answers with a sound' }, () => ({
    content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  }));
  server.registerTool('test_embedded_resource', { description: 'Answers with a resource' }, () => ({
    content: [
      {
        type: 'resource',
        resource: {
          uri: 'test://embedded-resource',
          mimeType: 'text/plain',
          text: 'This is an embedded resource content.',
        },
      },
    ],
  }));
  server.registerTool('test_multiple_content_types', { description: 'Answers with a bit of everything' }, () => ({
    content: [
      text('Multiple content types test:'),
      image,
      {
        type: 'resource',
        resource: {
          uri: 'test://mixed-content-resource',
          mimeType: 'application/json',
          text: JSON.stringify({ test: 'data', value: 123 }),
        },
      },
    ],
  }));
  server.registerTool('test_error_handling', { description: 'Always fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
}
