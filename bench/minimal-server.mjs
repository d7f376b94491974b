// The least that is an MCP server on stdin and stdout.
import { answerTo } from './minimal-answers.mjs';

let rest = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop();
  for (const line of lines) {
    const answer = answerTo(JSON.parse(line));
    if (answer !== undefined) process.stdout.write(`${answer}\n`);
  }
});
process.stdin.on('end', () => process.exit());
