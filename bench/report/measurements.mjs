import { lackOfNats } from '../fleet-nats.mjs';

const manager = '@x/mcp-client-manager';
const registry = '@x/mcp-registry';
const fleet = '@x/mcp-fleet';
const chaosCounters = ['lost', 'repeated', 'wrong', 'orphans', 'retryable but done'];
const gateways = [registry, 'mcpx serve'];
const idleMemory = 'Memory of the host, idle, after a collection';

/**
 * What is measured, in the order of the page. `name` is the script in `bench/` and its kept result.
 *
 * - `args` and `quick` are what it is run with, nothing if left out; `limitMinutes` is when it is given up.
 * - `lack` returns why it cannot be measured here, if so.
 * - `apart`: takes too long for every release, so it is only run when it is named.
 * - `aims`: what is promised; see `judge`. `behind` and `behindInRows`: where a peer may do better, which the page says.
 * - `charts` and `bounds`: what is drawn above the tables; see `chartOf`.
 * - `folded`: the tables are long, so the page folds them.
 */
export const measurements = [
  {
    name: 'search',
    title: 'Finding the right tool',
    about: `Beside [MiniSearch](https://github.com/lucaong/minisearch), a general search library, with its defaults and over the
same fields of the same tools. *What is found* sends 1,052 queries from four public sources to 3,507 tools; the right tools are known.
*hit@1* is how often the first result is right; *own* searches the tools of the query's source, *all* searches every tool.
Our search was developed with these queries and MiniSearch was not, so expect a smaller lead with yours. The other tables
compare time and memory: a ratio below 1 means that ours takes less.`,
    charts: [
      { heading: 'First result right, tools of one source, %', column: 'own: hit@1' },
      { heading: 'First result right, all tools, %', column: 'all: hit@1' },
    ]
      .map((chart) => ({
        ...chart,
        title: 'What is found, percent, mean over the four sources of queries',
        better: 'more',
      }))
      .concat(
        ['10,000 tools', '100,000 tools'].map((title) => ({
          heading: `A sentence, ${title}, median ms`,
          title,
          row: 'sentence, p50 of all ms',
          better: 'less',
        })),
      ),
    nodeOptions: ['--expose-gc'],
    quick: ['--rounds', '1', '--most', '10000'],
    limitMinutes: 12,
    aims: [
      {
        says: 'A tool is found among 10,000 in less than a millisecond, in half of all searches',
        atMost: 1,
        unit: 'ms',
        places: ['two words', 'sentence'].map((kind) => ({
          label: kind,
          title: '10,000 tools',
          column: registry,
          rows: [`${kind}, p50 of all ms`],
        })),
      },
      {
        says: 'A server of 50 tools leaves or joins 10,000 without a rebuild',
        atMost: 10,
        unit: 'ms',
        places: ['remove', 'add'].map((change) => ({
          label: change,
          title: '10,000 tools',
          column: registry,
          rows: [`${change} 50 tools, median ms`],
        })),
      },
      {
        says: 'The index of 10,000 tools takes little memory',
        atMost: 3_000,
        unit: 'bytes a tool',
        places: [{ title: '10,000 tools', column: registry, rows: ['bytes of index a tool'] }],
      },
    ],
    behindInRows: [
      { title: '10,000 tools', ratio: 'ratio' },
      { title: '100,000 tools', ratio: 'ratio' },
    ],
  },
  {
    name: 'answer-tokens',
    title: 'What a search costs a model',
    about: `The 65 queries are what a model wrote for a search tool, the 527 tools are those of the benchmark that they come from.
*One answer* counts the answer of \`search_mcp_tools\`, of which hosts send either the text or the structured content, and beside it the same hits in
other forms: whole definitions as in \`tools/list\`, which the search of FastMCP gives by its documentation, and names with whole descriptions. These are
counted forms, not runs: FastMCP is written in Python. mcpproxy-go is left out, because its documentation does not show its answer. mcporter is
run: an agent lists its servers, and then the tools of one. The set has shortened the schemas, so all definitions are larger in reality. A
count is the same on every machine.`,
    quick: ['--servers', '3'],
    limitMinutes: 10,
    aims: [
      ...[
        ['Five tools that a model can call', '5 hits: p50', 'in half of all answers', 180],
        ['Five tools that a model can call', 'p95', 'in 95 of 100 answers', 300],
        ['Ten tools that a model can call', '10 hits: p50', 'in half of all answers', 380],
      ].map(([what, column, when, atMost]) => ({
        says: `${what} take few tokens, ${when}`,
        atMost,
        unit: 'tokens',
        places: [{ title: 'One answer', column, rows: ['`search_mcp_tools`, text'] }],
      })),
      {
        says: 'The right tool is among the first five for a query that a model wrote',
        atLeast: 92,
        unit: '%',
        places: [{ title: 'The right tool is found, percent of the queries', column: 'found', rows: ['among 5'] }],
      },
      {
        says: 'Searching costs less than all definitions, for that many searches',
        atLeast: 400,
        unit: 'searches',
        places: [
          {
            title: 'Definitions in each request',
            column: 'tokens',
            rows: ['searches of 5 hits until their answers are as long as all definitions'],
          },
        ],
      },
    ],
  },
  {
    name: 'search-no',
    title: 'When no tool fits',
    about: `A result is *weak* if probably no tool fits. The columns are sources of queries: those that a model wrote, prompts for a cloud, whole
tasks, paraphrases. *Another field* searches tools of another source, and *the field taken away* the same servers without all those of the right
tools' field: there \`weak\` is right, and in the other two rows it is a false alarm. The tables by threshold show what others would
cost; the last one takes the threshold of each query from other servers. See [Weak results](search.md#weak-results). The numbers are the same on every machine.`,
    limitMinutes: 10,
    folded: true,
    aims: [
      {
        says: 'A query that a model wrote, and that no server left can do, is called weak',
        atLeast: 80,
        unit: '%',
        places: [
          {
            title: 'weak, percent of the queries',
            column: 'livemcp-agent',
            rows: ['another field', 'the field taken away'],
          },
        ],
      },
      {
        says: 'A right first tool for a query that a model wrote is seldom called weak',
        atMost: 2,
        unit: '%',
        places: [
          {
            title: 'weak, percent of the queries',
            column: 'livemcp-agent',
            rows: ['right tool first: false alarm'],
          },
        ],
      },
    ],
  },
  {
    name: 'search-regex',
    title: 'Searching with a regular expression',
    about: `Beside JavaScript's own \`RegExp\` over the same texts. \`RegExp\` is faster, except for patterns that backtrack without end. Ours takes
time in proportion to the text, and stops after 250 ms with the results it has. The ratio is our time
divided by that of \`RegExp\`. The time of a stopped search includes the pauses in which other work runs.`,
    quick: ['--rounds', '1'],
    limitMinutes: 6,
    aims: [
      {
        says: 'An ordinary regular expression over 10,000 tools is answered at once',
        atMost: 40,
        unit: 'ms',
        places: [{ title: 'Ordinary regular expressions', column: 'ours, median ms' }],
      },
      {
        says: 'No regular expression takes much more than its 250 ms',
        atMost: 350,
        unit: 'ms',
        places: [{ title: 'Regular expressions that are made to take long', column: 'ours, median ms' }],
      },
    ],
    behind: [
      {
        says: `\`RegExp\` is several times as fast for patterns without backtracking; see the ratios.`,
      },
    ],
  },
  {
    name: 'code',
    title: 'Programs in place of calls',
    about: `Ten tasks of 6 to 17 calls over fixed results, each as one program for \`execute_mcp_code\` and call by call with \`call_mcp_tool\`, until
both have made the same changes. Tokens are those of tool definitions, requests and results, counted once; the last column counts everything again in
each turn, as a model without a prompt cache reads it. The program is written by a person: how well a model writes one is not measured.`,
    quick: ['--rounds', '20'],
    limitMinutes: 3,
    aims: [
      {
        says: 'A program takes fewer tokens than its calls one by one',
        atLeast: 37,
        unit: '%',
        places: [{ title: 'Tokens of ten tasks', column: 'fewer, %', rows: ['all'] }],
      },
      {
        says: 'A program starts at once, after the first',
        atMost: 15,
        unit: 'ms',
        places: [{ title: 'Start of a program', column: 'ms', rows: ['a program that returns 1, median'] }],
      },
    ],
  },
  {
    name: 'result-limits',
    title: 'What a long result costs a model',
    about: `Results of 300 kB of 23 kinds through a registry with \`limitResults()\`, counted as JSON with all their fields. The limit estimates tokens
without a tokenizer, and too high rather than too low, so texts that compress well get shorter previews. Texts of rare characters exceed it. The time is
that of a call that returns the result at once, for each MB of the result.`,
    quick: ['--rounds', '2', '--variants', '1'],
    limitMinutes: 5,
    aims: [
      {
        says: 'A result of 300 kB takes few tokens, in 95 of 100 cases',
        atMost: 2_000,
        unit: 'tokens',
        places: [{ title: 'All results', column: 'tokens', rows: ['p95'] }],
      },
    ],
  },
  {
    name: 'calls',
    title: 'Calling a tool',
    about: `One server over stdio, called through our manager with routing, limits, deadlines and events on, through a registry on top
of it, and through other client libraries. *raw pipe* writes JSON to the process and parses the response, and does nothing else: it is the
lower bound. For times a ratio below 1 means faster than the official SDK 1.x client; for calls a second a ratio above 1 does. The last
two tables compare two kinds of requests of one contender, sent in turns.`,
    bounds: ['raw pipe'],
    charts: [
      { heading: 'Small call, median µs', title: 'small call, median µs', better: 'less' },
      { heading: 'Small calls a second, 64 in flight', title: '64 in flight, calls/s', better: 'more' },
      { heading: '1 MB result, median ms', title: '1 MB result, ms', better: 'less' },
    ].map((chart) => ({ ...chart, column: 'median' })),
    args: ['--rounds', '7'],
    quick: ['--rounds', '1', '--calls', '500'],
    limitMinutes: 8,
    aims: [
      {
        says: 'A small call takes less time than with the bare SDK 1.x client',
        atMost: 0.84,
        unit: '×',
        places: [{ title: 'small call, median µs', column: 'ratio to sdk 1.x', rows: [manager] }],
      },
      {
        says: 'Twice as many calls a second as with the bare SDK 1.x client',
        atLeast: 2.25,
        unit: '×',
        places: [{ title: '64 in flight, calls/s', column: 'ratio to sdk 1.x', rows: [manager] }],
      },
      {
        says: 'The registry adds little to a small call',
        atMost: 1.15,
        unit: '×',
        places: [{ title: 'small call, median µs', column: 'ratio to the manager', rows: [registry] }],
      },
      {
        says: 'Through the registry nearly as many calls a second as through the manager',
        atLeast: 0.85,
        unit: '×',
        places: [{ title: '64 in flight, calls/s', column: 'ratio to the manager', rows: [registry] }],
      },
      {
        says: 'A result of 1 MB takes little longer than the pipe',
        atMost: 1.3,
        unit: '×',
        places: [{ title: '1 MB result, ms', column: 'ratio to raw', rows: [manager] }],
      },
      {
        says: 'A structured result, checked against its schema, takes little longer than a text',
        atMost: 1.15,
        unit: '×',
        places: [{ title: 'Structured content beside a text, median µs', column: 'ratio', rows: [manager] }],
      },
      {
        says: 'Nearly as many prompts a second as calls',
        atLeast: 0.9,
        unit: '×',
        places: [
          { title: 'prompts/get beside tools/call, 64 in flight, per second', column: 'ratio', rows: [manager] },
        ],
      },
    ],
    behind: [
      ['small call, median µs', 'less'],
      ['64 in flight, calls/s', 'more'],
      ['1 MB result, ms', 'less'],
    ].map(([title, better]) => ({
      title,
      better,
      column: 'ratio to sdk 1.x',
      ours: [manager],
      leaveOut: ['raw pipe'],
    })),
  },
  {
    name: 'connects',
    title: 'Connecting to many servers',
    about: `From an empty process until every server is connected and its tools are listed, loading the library included. Most of the
time is spent in the servers, as *raw pipe* shows. A ratio below 1 means faster than that peer. *Event-loop lag* is the longest
block of the event loop meanwhile.`,
    bounds: ['raw pipe'],
    charts: [
      ...connectPlaces('median ms').map(({ label, title, column }) => ({
        heading: `${label} connected and listed, ms`,
        title,
        column,
        better: 'less',
      })),
      {
        heading: 'Resident memory with one server, MB',
        title: idleMemory,
        column: 'resident MB, 1 server',
        better: 'less',
      },
    ],
    args: ['--rounds', '5'],
    quick: ['--rounds', '1', '--count', '10', '--many', '20'],
    limitMinutes: 12,
    aims: [
      {
        says: 'Servers are connected as fast as by the quickest peer',
        atMost: 1.05,
        unit: '×',
        places: connectPlaces('ratio to the quickest peer'),
      },
      {
        says: 'The event loop is free while servers are connected',
        atMost: 30,
        unit: 'ms',
        places: connectPlaces('event-loop lag ms'),
      },
      {
        says: 'The first server takes little memory',
        atMost: 64,
        unit: 'MB',
        places: [{ title: idleMemory, column: 'resident MB, 1 server', rows: [manager] }],
      },
      {
        says: 'A further server takes little memory',
        atMost: 80,
        unit: 'kB',
        places: [{ title: idleMemory, column: 'resident kB a further server', rows: [manager] }],
      },
      {
        says: '200 servers at once are all connected',
        aim: 'no failure',
        atMost: 0,
        places: [{ title: 'Many servers at once, connected and listed', column: 'failures', rows: [manager] }],
      },
    ],
    behind: [
      ...connectPlaces('ratio to sdk 1.x').map(({ title, column, rows }) => ({
        title,
        column,
        better: 'less',
        ours: rows,
        leaveOut: ['raw pipe'],
      })),
      ...['resident MB, 1 server', 'resident kB a further server'].map((column) => ({
        title: idleMemory,
        column,
        better: 'less',
        ours: [manager],
        leaveOut: ['raw pipe'],
      })),
    ],
  },
  {
    name: 'idle',
    title: 'Idle servers',
    about: `The processor time of a process with a hundred idle servers. The peer is the official SDK 1.x client, which does not check
servers; ours checks each every 30 seconds by default, and these checks are the whole difference.`,
    quick: ['--seconds', '5', '--settle', '2', '--servers', '20'],
    limitMinutes: 8,
    aims: [
      {
        says: 'An idle fleet takes next to no processor time between health checks',
        atMost: 0.02,
        unit: '% of one core',
        places: [{ title: 'Idle servers', column: 'of one core', rows: [[manager, 'each checked every 300 s']] }],
      },
    ],
    behind: [
      {
        title: 'Idle servers',
        column: 'of one core',
        better: 'less',
        ours: [manager],
      },
    ],
  },
  {
    name: 'faults',
    title: 'When a server misbehaves',
    about: `The same client libraries, each used as its documentation shows, with servers that crash, hang, flood their output and
send garbage. The rows state what becomes of the program that uses the library; no time is measured.`,
    limitMinutes: 15,
    aims: [
      {
        says: 'A misbehaving server does no harm to the program, in every story',
        aim: 'yes in every row',
        atLeast: 1,
        places: [{ column: manager }],
      },
    ],
  },
  {
    name: 'gateway',
    title: 'Calls through a gateway',
    about: `The hop between a client and its servers: our library in a host's own program (\`@x/mcp-registry\`), \`mcpx serve\`, and
two other gateways, \`mcp-proxy\` and \`mcp-hub\`. *added to p50* is the time that a gateway adds to the direct call.
A ratio below 1 of the added time, and above 1 of calls a second, means better than the best peer. *bare hop* only forwards bytes and
renumbers requests: it has no tokens, roles or second server, so it is the lower bound. \`raw\` is a minimal client for the
protocol's revisions of 2025 and of 2026; \`sdk 1.x\` and \`sdk 2.x\` are the official ones. Ours check a token, the peers do not.
No peer serves stdio.`,
    bounds: ['bare hop'],
    charts: gatewayPlaces('small call').flatMap(({ label, title }) => [
      {
        heading: `${label} client, small call: added to p50, µs`,
        title,
        column: 'added to p50',
        better: 'less',
      },
      {
        heading: `${label} client, small calls a second, 64 in flight`,
        title,
        column: 'calls/s, 64 in flight',
        better: 'more',
        leaveOut: ['direct'],
      },
    ]),
    folded: true,
    args: ['--rounds', '4'],
    quick: [
      '--rounds',
      '1',
      '--warm',
      '500',
      '--calls',
      '200',
      '--client',
      'raw, 2025, http',
      '--client',
      'raw, 2026, http',
      '--load',
      'small call',
    ],
    limitMinutes: 25,
    aims: [
      ['small call', 'a small call'],
      ['1 MB result', 'a result of 1 MB'],
    ]
      .flatMap(([load, words]) => [
        {
          says: `A gateway adds to ${words} half of what the best peer adds`,
          atMost: 0.5,
          unit: '×',
          places: gatewayPlaces(load, 'added: ratio to the best peer'),
        },
        {
          says: `With ${words} it answers twice as many calls a second as the best peer`,
          atLeast: 2,
          unit: '×',
          places: gatewayPlaces(load, 'calls/s: ratio to the best peer'),
        },
      ])
      .concat([
        {
          says: 'For a client of revision 2026-07-28 a gateway adds two fifths of what the best peer adds to a small call',
          atMost: 0.4,
          unit: '×',
          places: modernPlaces('added: ratio to the best peer'),
        },
        {
          says: 'For a client of revision 2026-07-28 it answers three times as many small calls a second as the best peer',
          atLeast: 3,
          unit: '×',
          places: modernPlaces('calls/s: ratio to the best peer'),
        },
      ]),
    behind: ['small call', '1 MB result']
      .flatMap((load) => [
        ...gatewayPlaces(load, 'added: ratio to the best peer').map((place) => ({ ...place, better: 'less' })),
        ...gatewayPlaces(load, 'calls/s: ratio to the best peer').map((place) => ({ ...place, better: 'more' })),
      ])
      .map(({ rows, ...place }) => ({ ...place, ours: rows, leaveOut: ['direct', 'bare hop'] })),
  },
  {
    name: 'fleet-calls',
    title: "Calling another node's tool",
    about: `Two processes and a \`nats-server\` on one machine. The peer is one bare NATS request, answered by
a prepared message of the same size. *JSON on both sides* is the same request with its arguments and its result as JSON, which
every tool has. A fleet's call also carries a signed principal, which the owner checks, and is confirmed before it begins. The results
are one text each, which a fleet sends beside its JSON. *In small parts* is a list of 5,000 small objects: all of it must be JSON, which
alone costs more than twice a bare request, so its ratio has no aim. NATS limits a message to 1 MiB, so 5 MB is compared with
as many requests of 512 KiB as it takes, one after the other, without an aim.`,
    bounds: ['bare NATS request', 'bare NATS request, JSON on both sides'],
    charts: ['100 B', '10 KB', '300 KB'].map((size) => ({
      heading: `A result of ${size}, median µs`,
      title: `A result of ${size}, µs`,
      column: 'p50',
      better: 'less',
    })),
    quick: ['--rounds', '1', '--calls', '200', '--warm', '500'],
    limitMinutes: 4,
    lack: lackOfNats,
    aims: [
      {
        says: 'A call of another node takes at most twice the time of a bare NATS request',
        atMost: 2,
        unit: '×',
        places: ['100 B', '10 KB', '300 KB'].map((size) => ({
          label: size,
          title: `A result of ${size}, µs`,
          column: 'ratio to bare',
          rows: [fleet],
        })),
      },
    ],
    behind: [
      {
        says: 'A bare request is the lower bound; see the ratios.',
      },
    ],
  },
  {
    name: 'fleet-changes',
    title: 'Seeing that a server has other tools',
    about: `The time from a change of a server's tools on one node until another node has the list with all definitions. The peer is a bare NATS
key-value store: an entry of the size of the fleet's, which names the tools by digests, is put on one side and received by a watch on the
other. That peer learns *that* something has changed. To get the new definitions, its entry contains them, or the receiver requests them. The fleet
sends them to all nodes ahead of its entry; *announced* is when its listeners receive the event, *listed* when they have all definitions, each
checked against its digest.`,
    quick: ['--rounds', '1', '--changes', '10', '--warm', '20'],
    limitMinutes: 4,
    lack: lackOfNats,
    aims: [
      {
        says: "Another node lists a server's new tools within twice the time of a bare key-value watch",
        atMost: 2,
        unit: '×',
        places: ['One of 50 tools is another', 'All 50 tools are others'].map((change) => ({
          label: change.toLowerCase(),
          title: `${change}, ms`,
          column: 'ratio to bare',
          rows: [`${fleet}, listed`],
        })),
      },
    ],
    behind: [
      {
        says: 'A bare entry is the lower bound, and contains no definition. Fifty definitions must also be written, sent and parsed: the entry that contains them is the lower bound of that, and the fleet also canonicalizes them and computes their digests on both sides.',
      },
    ],
  },
  {
    name: 'rule-changes',
    title: 'Taking a tool from a role',
    about: `\`tools.yaml\` is rewritten without a tool that a role had. Three programs follow the file: an app with \`watchConfig\` and
\`registry.update\`, \`mcpx serve\`, and a daemon that belongs to a fleet. The bench polls each every 2 ms: the app's
view, a session of the gateway, and a call from another node, which the daemon refuses. There is no peer.`,
    quick: ['--rounds', '3'],
    limitMinutes: 2,
    lack: lackOfNats,
    aims: [
      {
        says: 'A tool that a role has lost is gone within a second, the longest time of all writes',
        atMost: 1000,
        unit: 'ms',
        places: [
          'a view in an app that follows its files',
          'a session of `mcpx serve`',
          'a call of another node, refused by the owner',
        ].map((row) => ({
          label: row,
          title: 'From the write of tools.yaml until the tool is gone, ms',
          column: 'longest',
          rows: [row],
        })),
      },
    ],
  },
  {
    name: 'config-edits',
    title: 'Saving a server to the config',
    about: `\`mcp_servers.yaml\` is rewritten with one more server while a daemon runs. A client of \`mcpx serve\` calls its tool every
2 ms until it answers. There is no peer.`,
    quick: ['--rounds', '2'],
    limitMinutes: 2,
    aims: [
      {
        says: 'A server that is saved has answered within a second, the longest time of all writes',
        atMost: 1000,
        unit: 'ms',
        places: ['a client of `mcpx serve`'].map((row) => ({
          label: row,
          title: 'From the write of mcp_servers.yaml until the tool of the new server has answered, ms',
          column: 'longest',
          rows: [row],
        })),
      },
    ],
  },
  {
    name: 'fleet-size',
    title: 'A fleet of a hundred nodes',
    about: `Fleets of 10, 30 and 100 nodes on one machine, each node with its own connection, five servers and a hundred tools a server:
definitions of public tools, 600 bytes each on average. One more node joins, lists all tools, adds them to a registry and searches them
there. There is no peer; the growth of each number counts.

An idle fleet sends only heartbeats, one per node every five seconds. *Published* counts the messages that nodes send. *Delivered* counts the
messages that the server forwards: every heartbeat goes to every node, and each is confirmed, so the sum grows with the square of the nodes and
the share of one node with their number. A longer \`heartbeatMs\` divides both, and delays the detection of a lost node by as much.`,
    quick: ['--nodes', '2', '--nodes', '4', '--heartbeats', '1', '--searches', '20'],
    limitMinutes: 6,
    lack: lackOfNats,
    aims: [
      {
        says: 'With ten times the nodes, an idle fleet publishes ten times the messages, and delivers ten times as many to each',
        aim: 'at most 10.5 ×',
        atMost: 10.5,
        places: ['messages published', 'messages delivered to one node'].map((row) => ({
          label: row,
          title: 'With 10 times the nodes',
          column: 'times as much',
          rows: [row],
        })),
      },
      {
        says: 'With ten times the tools, an idle fleet sends no more messages',
        aim: 'at most 1.05 ×',
        atMost: 1.05,
        places: ['messages published', 'messages delivered'].map((column) => ({
          label: column,
          title: 'With 10 times the tools, at rest',
          column,
        })),
      },
      {
        says: 'The tools of a hundred nodes are searched without a wait',
        atMost: 50,
        unit: 'ms',
        places: ['each server with tools of its own', 'the same five servers on every node'].map((kind) => ({
          label: kind,
          title: `A newcomer, ${kind}`,
          column: 'search p50, ms',
          rows: ['100'],
        })),
      },
    ],
  },
  {
    name: 'cli-start',
    title: 'Typing a command',
    about: `The time from typing \`mcpx\` to its output, beside the command lines of other tools, each with its daemon running if it has
one. The ratio is to \`node -e 0\`, which does nothing: the lower bound of a program for Node. The Inspector has no daemon, so its
time includes the start of a server. Processor time is that of the command alone.`,
    bounds: ['node -e 0'],
    charts: [
      {
        heading: 'From the start of a command to its end, median ms',
        title: 'From the start of a command to its end',
        column: 'median ms',
        better: 'less',
        leaveOut: ['mcpx daemon status', 'mcpx start, Tab'],
      },
    ],
    args: ['--rounds', '20'],
    quick: ['--rounds', '1'],
    limitMinutes: 6,
    aims: [
      {
        says: '`mcpx --help` takes at most twice the time of Node alone',
        atMost: 2,
        unit: '×',
        places: [{ column: 'ratio', rows: ['mcpx --help'] }],
      },
      {
        says: '`mcpx status`, `search` and `call` with a daemon take at most four times that of Node alone',
        atMost: 4,
        unit: '×',
        places: ['status', 'search', 'call'].map((command) => ({
          label: command,
          column: 'ratio',
          rows: [`mcpx ${command}`],
        })),
      },
    ],
    behind: [
      { ours: ['mcpx --help'], peers: ['mcporter --help', 'mcp-hub --help'] },
      { ours: ['mcpx status', 'mcpx search'], peers: ['mcporter list', 'Inspector tools/list'] },
      { ours: ['mcpx call'], peers: ['mcporter call'] },
    ].map((comparison) => ({
      ...comparison,
      title: 'From the start of a command to its end',
      column: 'ratio',
      better: 'less',
    })),
  },
  {
    name: 'cli',
    title: 'A day with `mcpx`',
    about: `Commands, clients of one gateway, and the servers of three editors, beside the peers in one run. mcp-use has no daemon, so each of its
calls starts the server; mcp-hub has no commands, and its clients connect to a hub that runs. *Second client* counts over stdio from the start of the
process that a host starts, and over HTTP from the first request. Of the editors' twelve servers eight can be used: two want a token that is not
there, one has no program, one a dead address. \`mcpx up\` starts them and a daemon that keeps them, \`mcporter list\` starts and ends them.`,
    quick: ['--rounds', '1', '--calls', '50'],
    limitMinutes: 15,
    aims: [
      {
        says: 'Five clients on twelve servers have twelve server processes',
        atMost: 12,
        unit: 'processes',
        places: ['stdio', 'HTTP'].map((over) => ({
          label: over,
          title: `5 clients over ${over} on 12 servers`,
          column: 'mcpx',
          rows: ['server processes'],
        })),
      },
      {
        says: 'A call by the daemon takes little longer than with own servers',
        atMost: 0.3,
        unit: 'ms',
        places: [{ title: 'A call through mcpx serve', column: 'more', rows: ['a call, median ms'] }],
      },
      {
        says: 'A second client has its list of tools soon after its start',
        atMost: 300,
        unit: 'ms',
        places: [
          {
            title: '5 clients over stdio on 12 servers',
            column: 'mcpx',
            rows: ['second client: from its start to its list of tools, median ms'],
          },
        ],
      },
      {
        says: 'An idle `mcpx serve` holds little more than a bare Node process',
        atMost: 20,
        unit: 'MB',
        places: [
          {
            title: '5 clients over stdio on 12 servers',
            column: 'mcpx',
            rows: ['memory of an idle serve more than bare Node, MB'],
          },
        ],
      },
      {
        says: 'The servers of three editors: at least as many as with mcporter can be used',
        atLeast: 1,
        unit: '×',
        places: [
          {
            title: 'Three editors with 12 servers, no config of its own',
            column: 'mcpx ÷ the best peer',
            rows: ['servers that can be used'],
          },
        ],
      },
    ],
    behindInRows: [
      'From the start of a command to its end, median ms',
      '5 clients over stdio on 12 servers',
      '5 clients over HTTP on 12 servers',
      'Three editors with 12 servers, no config of its own',
    ].map((title) => ({ title, ratio: 'mcpx ÷ the best peer' })),
  },
  {
    name: 'host-bytes',
    title: 'Putting a server into a config file',
    about: `A server is added to the config files of twenty editors and agents from our tests, with their comments, order and white space. *kept* means that
every byte of the old file is still there. The peers are three installers; – marks hosts that a peer does not support.`,
    charts: [
      {
        heading: 'Config files of which every byte is kept, of those tried',
        row: 'kept, of those tried',
        better: 'more',
      },
    ],
    limitMinutes: 8,
    aims: [
      {
        says: 'Every byte of a config file survives when a server is added',
        aim: 'all files',
        atLeast: 1,
        places: [{ column: 'ours', rows: ['kept, of those tried'] }],
      },
    ],
  },
  {
    name: 'config-check',
    title: 'Checking a config file',
    about: `Beside the two libraries it is made with, \`yaml\` and \`zod\`, used by themselves. They stop at the first kind of fault and
report no positions; ours reports every fault with its line, and checks that referenced files and names exist. The ratio is to those two.`,
    args: ['--rounds', '20'],
    quick: ['--rounds', '1'],
    limitMinutes: 5,
    aims: [
      {
        says: 'Checking with positions and cross-checks takes little longer than `yaml` and `zod` alone',
        atMost: 1.5,
        unit: '×',
        places: [{ column: 'ratio', rows: ['checkConfig: all issues, positions, cross-checks'] }],
      },
    ],
    behind: [
      {
        column: 'ratio',
        better: 'less',
        ours: ['checkConfig: all issues, positions, cross-checks'],
        leaveOut: ['yaml alone, no check'],
      },
    ],
  },
  {
    name: 'config-import',
    title: 'Importing the config package',
    about: `The cost of \`import '@x/mcp-config-schema'\` in a process that has loaded nothing yet, beside \`import 'zod'\`, which
host apps often have. The used parts of \`zod\` are in the package. The ratio is to \`zod\` alone.`,
    quick: ['--rounds', '3'],
    limitMinutes: 4,
    aims: [
      {
        says: 'Importing `@x/mcp-config-schema` takes no longer than importing `zod`',
        atMost: 1,
        unit: '×',
        places: [{ column: 'ratio', rows: ["import '@x/mcp-config-schema'"] }],
      },
    ],
    behind: [{ column: 'ratio', better: 'less', ours: ["import '@x/mcp-config-schema'"], leaveOut: [] }],
  },
  {
    name: 'app-import',
    title: 'Importing @x/mcp',
    about: `How long a process takes that only imports \`@x/mcp\`, from its start to its end, beside an empty one and
\`import '@ai-sdk/mcp'\`. The last two rows also open and close tools without a server: files load the parsers of YAML, JSON and TOML,
and the used parts of zod.`,
    quick: ['--rounds', '3'],
    limitMinutes: 4,
    aims: [
      {
        says: 'Importing `@x/mcp` delays the start of an app little',
        atMost: 150,
        unit: 'ms',
        places: [{ column: 'more than `node -e 0`, ms', rows: ["import '@x/mcp'"] }],
      },
      {
        says: 'Importing `@x/mcp` takes less time than importing `@ai-sdk/mcp`',
        atMost: 0.8,
        unit: '×',
        places: [{ column: 'ratio to @ai-sdk/mcp', rows: ["import '@x/mcp'"] }],
      },
    ],
    behind: [
      {
        column: 'ratio to @ai-sdk/mcp',
        better: 'less',
        ours: ["import '@x/mcp'"],
        peers: ["import '@ai-sdk/mcp'"],
      },
    ],
  },
  {
    name: 'registry',
    title: 'Tools of your own in the registry',
    about: `A function of your program, registered as a tool and called with checked arguments, beside the equivalent in the official SDK 2.x:
a server and a client connected in memory. A ratio below 1 means faster than that. The other two tables have no peer.`,
    bounds: ['the function itself'],
    charts: [
      {
        heading: 'A call of a native tool that does nothing, median µs',
        title: 'A call of a native tool that does nothing, µs',
        column: 'median',
        better: 'less',
      },
    ],
    quick: ['--rounds', '2'],
    limitMinutes: 5,
    aims: [
      {
        says: "A call with checked arguments takes a quarter of the official SDK's way in memory",
        atMost: 0.25,
        unit: '×',
        places: ['JSON Schema checked', 'zod schema'].map((kind) => ({
          label: kind,
          title: 'A call of a native tool that does nothing, µs',
          column: 'ratio to the SDK',
          rows: [`registry.call, ${kind}`],
        })),
      },
      {
        says: 'A server of 50 tools is added to 10,000 tools at once',
        atMost: 10,
        unit: 'ms',
        places: [
          {
            title: 'Putting in a server of 50 tools, with five role views that listen, ms',
            column: 'median',
            rows: ['10,000'],
          },
        ],
      },
    ],
  },
  {
    name: 'soak',
    title: 'Ten minutes of calls, starts and stops',
    about: `Memory, open files and timers over ten minutes of use. There is no peer; the numbers must stay constant. The first quarter is warm-up,
in which the engine compiles hot code.`,
    apart: true,
    quick: ['--minutes', '0.2', '--samples', '3'],
    limitMinutes: 15,
  },
  {
    name: 'chaos',
    title: 'Ten minutes of chaos',
    about: `Thirty servers receive 48 calls a second through the manager, the registry and the gateway over HTTP, and one fault a second: they are
killed, paused, hung or restarted, or write garbage. There is no peer: no other client library publishes such a run. *repeated* counts calls that a
server recorded more than once, *retryable but done* those that failed as retryable and were recorded.`,
    apart: true,
    args: ['--minutes', '10', '--seed', '1'],
    quick: ['--minutes', '0.5'],
    limitMinutes: 15,
    aims: [
      {
        says: 'No call is lost, repeated or mixed up, none that is retryable was done, and no process is left, in ten minutes of chaos',
        aim: '0 of each',
        atMost: 0,
        places: [{ title: 'What must be 0', column: 'count', rows: chaosCounters }],
      },
      {
        says: 'Nine of ten calls succeed in ten minutes of chaos',
        atLeast: 90,
        unit: '%',
        places: [{ title: 'Calls', column: 'count', rows: ['succeeded, %'] }],
      },
    ],
  },
  {
    name: 'gateway-clients',
    title: 'A thousand clients at a gateway',
    about: `A thousand clients at once call, list, disconnect during a call and start again, for a minute. There is no peer; all clients must be
served, and nothing may be left when they have gone.`,
    apart: true,
    quick: ['--clients', '50', '--seconds', '4', '--samples', '2'],
    limitMinutes: 8,
  },
  {
    name: 'gateway-unread',
    title: 'A caller that reads nothing',
    about: `One caller opens thousands of streams and requests thousands of large results, and reads none of them. Another caller pings
the gateway meanwhile. There is no peer; the memory of the gateway's process and the wait of the other caller count. The row
*nothing* is the same pings without that caller, in the same run. *New connection* opens a connection for each ping: Node accepts one per
turn of the event loop, so these pings come after the thousands of connections of the other caller. *In use* is the memory that is
referenced after a collection. [How it is measured](../bench/README.md#how-a-gateway-is-measured).`,
    quick: ['--streams', '100', '--results', '50', '--seconds', '5'],
    limitMinutes: 5,
    aims: [
      {
        says: 'A caller that reads nothing does not fill the gateway',
        atMost: 512,
        unit: 'MB',
        places: unreadPlaces('Memory of the gateway', 'most resident MB'),
      },
      {
        says: 'A caller that reads nothing does not delay the pings of another caller',
        atMost: 100,
        unit: 'ms',
        places: unreadPlaces('Pings of another caller', 'ping p99 ms'),
      },
      {
        says: 'All that waited for a caller that reads nothing is released when its connections end',
        atMost: 0,
        unit: 'bytes',
        places: unreadPlaces('Memory of the gateway', 'waiting after, bytes'),
      },
    ],
  },
];

function unreadPlaces(title, column) {
  return ['streams of 3 × 1 MB, unread', 'results of 20 MB, unread'].map((what) => ({
    label: what,
    title,
    column,
    rows: [what],
  }));
}

function connectPlaces(column) {
  return ['1 server', '10 servers', '50 servers'].map((label) => ({
    label,
    title: `${label} connected and listed, import included`,
    column,
    rows: [manager],
  }));
}

function modernPlaces(column) {
  return gatewayPlaces('small call', column).filter(({ label }) => label === 'raw, 2026');
}

function gatewayPlaces(load, column) {
  return ['raw, 2025', 'raw, 2026', 'sdk 1.x', 'sdk 2.x'].map((caller) => ({
    label: caller,
    title: `${caller} over http, ${load}`,
    column,
    rows: gateways,
  }));
}
