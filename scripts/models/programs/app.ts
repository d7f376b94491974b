// The app of every program here: one tool that answers with a text and a PNG.
import { openTools } from '@x/mcp';

const picture = process.env.PICTURE ?? '';

export const url = process.env.MODEL_API ?? '';
export const tools = await openTools({ mcpServers: {} });

tools.add(
  {
    name: 'draw',
    description: 'Draws a picture of what is named',
    inputSchema: { type: 'object', properties: { subject: { type: 'string' } }, required: ['subject'] },
  },
  ({ subject }) => ({
    content: [
      { type: 'text', text: `A picture of ${subject}` },
      { type: 'image', data: picture, mimeType: 'image/png' },
    ],
  }),
);
