import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommonOptions } from '../command.js';
import { parseLimit, type RateLimit } from '../serving/rate-limit.js';
import type { ServeOptions } from '../serving/serve-options.js';
import { addCommand, type CommandTable, collect, wholeNumber } from './add-command.js';

export const serveCommand: CommandTable = {
  serve: (program, choose) => {
    const command = addCommand(program, 'serve', 'serve all servers as one MCP server, over stdio or HTTP', {
      starts: true,
    });
    addOptions(command).action((servers: string[], options: Omit<ServeOptions, 'servers'>) =>
      choose(async (io) => (await import('../commands/serve.js')).serve({ ...options, servers }, io)),
    );
  },
  record: (program, choose) => {
    addCommand(program, 'record', 'serve one server over stdio and record its messages', {
      starts: true,
      prints: false,
      takesCommand: true,
    })
      .argument('<file>', 'new file for the messages, without known secrets')
      .argument('<server...>', 'name of a server in the config, a URL, or after -- a command with its arguments')
      .option('--header <header>', 'HTTP header "Name: value" of a server at a URL (repeatable)', collect)
      .action((file: string, words: string[], options: CommonOptions) =>
        choose(async (io) => (await import('../commands/record.js')).record({ ...options, file, words }, io)),
      );
  },
  replay: (program, choose) => {
    addCommand(program, 'replay', 'serve the recorded server over stdio, for tests and demos', { prints: false })
      .argument('<file>', 'file of "mcpx record"')
      .action((file: string, options: CommonOptions) =>
        choose(async (io) => (await import('../commands/replay.js')).replay({ ...options, file }, io)),
      );
  },
};

/** Options of HTTP have no defaults here, because one that is given without `--http` is a mistake. */
function addOptions(command: Command): Command {
  command
    .argument('[servers...]', 'serve and start only these (default: all with auto_start or eager)')
    .option('--own-servers', 'start servers for this process alone, without the daemon')
    .optionsGroup('Contents:')
    .option('--role <role>', 'serve only tools of this role; over HTTP for callers without a role of their own')
    .addOption(new Option('--mode <mode>', 'how clients find tools').choices(['full', 'search', 'auto']))
    .option(
      '--auto-above <number>',
      'with --mode auto: list all tools up to this number (default: 50)',
      wholeNumber(0, 100_000),
    )
    .option(
      '--instructions-in-search',
      'with --mode search or auto: also put the instructions of servers into the search tool',
    )
    .option(
      '--max-instruction-characters <number>',
      'maximum length of the instructions of servers (default: 4000)',
      wholeNumber(0, 1_000_000),
    )
    .option('--code', 'with --mode search: also run programs of clients that call tools; needs quickjs-wasi')
    .addOption(
      new Option('--names <names>', 'names of tools, prompts and resources').choices(['prefixed', 'as-is', 'nested']),
    )
    .option(
      '--page-size <number>',
      'maximum number of entries in one page of a list (default: 1000)',
      wholeNumber(1, 100_000),
    )
    .option(
      '--max-result-tokens <number>',
      'cut longer results to a preview, and serve the rest page by page',
      wholeNumber(500, 1_000_000),
    )
    .option('--limit-role <role=n/s>', 'rate limit of a role, such as review=60/m (repeatable)', collectLimits)
    .option('--limit-server <server=n/s>', 'rate limit of a server, such as web=10/s (repeatable)', collectLimits)
    .option(
      '--ask-before <tool>',
      "ask the client's user before each call of a tool, such as files.write_* (repeatable)",
      collect,
    )
    .option('--audit <file>', 'append every request and decision to this file, as JSON lines')
    .option('--drain <seconds>', 'on SIGTERM, time for open requests to finish (default: 20)', wholeNumber(0, 3_600));
  command
    .optionsGroup('Over HTTP:')
    .option('--http', 'serve Streamable HTTP instead of stdio')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--port <number>', 'port to listen on; 0 for any free port (default: 6279)', wholeNumber(0, 65_535))
    .option('--path <path>', 'path of the endpoint (default: /mcp)')
    .option('--health-path <path>', 'path for probes of whether the process responds; needs no token')
    .option('--ready-path <path>', 'path for probes of whether to send requests here; needs no token')
    .option('--allowed-host <name>', 'host name that clients may use besides loopback (repeatable)', collect)
    .option('--allowed-origin <origin>', 'origin of web pages that may connect (repeatable)', collect)
    .option('--tls-cert <file>', 'certificate chain for HTTPS (PEM)')
    .option('--tls-key <file>', 'private key of the certificate (PEM)')
    .option('--metrics-token-file <file>', 'serve metrics for Prometheus at /metrics, to callers with this token');
  command
    .optionsGroup('Authentication over HTTP:')
    .option('--token-file <file>', 'token of all clients (default: MCPX_TOKEN, or one generated for this config)')
    .option('--no-token', 'serve clients of this machine without a token')
    .option('--tokens-file <file>', 'tokens of several clients with ids and roles (YAML or JSON)')
    .option('--jwt-issuer <url>', 'accept signed tokens (JWT) of this issuer')
    .option('--jwt-audience <name>', 'audience that signed tokens must have (repeatable)', collect)
    .option('--jwks-url <url>', "URL of the issuer's public keys (JWKS)")
    .option('--jwt-role-claim <name>', 'claim with the role (default: role)')
    .option('--public-url <url>', 'public URL of the endpoint, for OAuth metadata (default: the address)')
    .option(
      '--unsafe-remote-without-token',
      'with --no-token: serve other machines without a token, with access to all tools',
    );
  return command.optionsGroup('Options:');
}

function collectLimits(text: string, previous: readonly RateLimit[] = []): readonly RateLimit[] {
  const limit = parseLimit(text);
  if (limit === undefined) throw new InvalidArgumentError('Use a name, a number and s, m or h, such as review=60/m.');
  return [...previous, limit];
}
