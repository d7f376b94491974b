// The least that is an MCP server on HTTP, for clients of both eras. Prints where it listens.
import { createServer } from 'node:http';
import { answerTo } from './minimal-answers.mjs';

const server = createServer((request, response) => {
  if (request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const answer = answerTo(JSON.parse(body));
    if (answer === undefined) response.writeHead(202).end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  });
});
server.listen(0, '127.0.0.1', () => console.log(`listening http://127.0.0.1:${server.address().port}/mcp`));
