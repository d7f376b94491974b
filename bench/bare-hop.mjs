// The least that can stand between a client on HTTP and a server on stdio: it looks at nothing but ids. What a gateway adds
// beyond this is what it does. `node bare-hop.mjs COMMAND [ARGUMENT…]` prints where it listens.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
const waiting = new Map();
let lastId = 0;
const send = (message) => child.stdin.write(`${JSON.stringify(message)}\n`);

createInterface({ input: child.stdout }).on('line', (line) => {
  const { id, ...answer } = JSON.parse(line);
  const settle = waiting.get(id);
  waiting.delete(id);
  settle?.(answer);
});

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const { id, ...message } = JSON.parse(body);
    if (id === undefined) {
      send(message);
      response.writeHead(202).end();
      return;
    }
    lastId += 1;
    waiting.set(lastId, (answer) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ ...answer, id }));
    });
    send({ ...message, id: lastId });
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening http://127.0.0.1:${server.address().port}/mcp`));
await once(process, 'SIGTERM');
server.close();
server.closeAllConnections();
child.stdin.end();
