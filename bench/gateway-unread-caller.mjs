// The caller that reads nothing: opens connections, sends one request over each and reads no byte of the answers.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerParent } from './answer-parent.mjs';
import { modernRequest, requestText } from './gateway-unread-requests.mjs';

const sockets = new Set();

answerParent({
  /** Resolves when all requests are sent. From then on this process does nothing. */
  open: async ({ port, count, tool, mb, token }) => {
    const text = callOf(tool, mb, token);
    for (let index = 0; index < count; index++) {
      const socket = connect(port, '127.0.0.1').pause();
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.write(text);
      sockets.add(socket);
      if (index % 50 === 49) await delay(1);
    }
    while (Array.from(sockets).some(({ connecting }) => connecting)) await delay(10);
  },
  drop: () => {
    for (const socket of sockets) socket.destroy();
  },
  close: () => {
    for (const socket of sockets) socket.destroy();
  },
});

function callOf(tool, mb, token) {
  const meta = tool === 'told' ? { progressToken: 1 } : {};
  const body = modernRequest('tools/call', { name: tool, arguments: { mb } }, meta);
  return requestText(body, { token, headers: { 'mcp-method': 'tools/call', 'mcp-name': tool } });
}
