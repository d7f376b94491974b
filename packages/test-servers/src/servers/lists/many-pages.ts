// Lists its tools in pages: --pages (3), --per-page (2), and with --cursor one of
//   repeat   every page names the same cursor
//   endless  there is always a next page
//   fail     page 2 is answered with an error, every time
//   fail-once  page 2 is answered with an error the first time
//   empty    the cursor of page 2 is the empty string, which is a cursor like any other
import { parseArgs } from 'node:util';
import { describeTool, type Params, RpcError, type ServedTool, serve } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: {
    pages: { type: 'string', default: '3' },
    'per-page': { type: 'string', default: '2' },
    cursor: { type: 'string', default: 'plain' },
  },
});
const pages = Number(values.pages);
const perPage = Number(values['per-page']);

let listRequests = 0;
let failures = 0;

serve({
  methods: { 'tools/list': listTools },
  tools: () => [
    // Not listed.
    { name: 'list_requests', run: () => String(listRequests) },
    ...Array.from({ length: pages }, (_, page) => toolsOfPage(page)).flat(),
  ],
});

function listTools({ cursor }: Params): object {
  listRequests += 1;
  const page = pageOf(cursor);
  if (page === 1 && (values.cursor === 'fail' || (values.cursor === 'fail-once' && failures === 0))) {
    failures += 1;
    throw new RpcError(-32603, 'Page 2 is broken');
  }
  return { tools: toolsOfPage(page).map(describeTool), ...nextCursor(page) };
}

function pageOf(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (cursor === '' || values.cursor === 'repeat') return 1;
  const page = /^page-(\d+)$/.exec(String(cursor))?.[1];
  if (page === undefined) throw new RpcError(-32602, `Invalid cursor: ${String(cursor)}`);
  return Number(page);
}

function nextCursor(page: number): { nextCursor?: string } {
  if (values.cursor === 'repeat') return { nextCursor: 'again' };
  if (values.cursor !== 'endless' && page + 1 >= pages) return {};
  return { nextCursor: values.cursor === 'empty' && page === 0 ? '' : `page-${page + 1}` };
}

function toolsOfPage(page: number): ServedTool[] {
  return Array.from({ length: perPage }, (_, index) => {
    const name = `tool_${page * perPage + index + 1}`;
    return { name, description: `Tool on page ${page + 1}`, run: () => name };
  });
}
