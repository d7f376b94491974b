import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseLimit, type RateLimit } from '../serving/rate-limit.js';
import type { ServeOptions } from '../serving/serve-options.js';
import { addCommand, type CommandTable } from './add-command.js';
import { collect, wholeNumber } from './option-values.js';

/** The command that serves everything as one MCP server. */
export const serveCommand: CommandTable = {
  serve: (program, choose) => {
    const command = addCommand(program, 'serve', 'serve everything as one MCP server, over stdio or HTTP', {
      starts: true,
    });
    addOptions(command).action((servers: string[], options: Omit<ServeOptions, 'servers'>) =>
      choose(async (io) => (await import('../commands/serve.js')).serve({ ...options, servers }, io)),
    );
  },
};

/** Without defaults where being given without `--http` is a mistake. */
function addOptions(command: Command): Command {
  command
    .argument('[servers...]', 'serve these alone, and start them whatever the config says; default: all')
    .optionsGroup('What is served:')
    .option('--role <role>', 'serve only what this role may use; over HTTP: for callers that have no role of their own')
    .addOption(new Option('--mode <mode>', 'what clients are shown of the tools').choices(['full', 'search', 'auto']))
    .option(
      '--auto-above <number>',
      'with --mode auto: list up to this many tools (default: 50)',
      wholeNumber(0, 100_000),
    )
    .addOption(
      new Option('--names <names>', 'how tools, prompts and resources are named').choices(['prefixed', 'as-is']),
    )
    .option('--page-size <number>', 'most entries in one answer to a list (default: 1000)', wholeNumber(1, 100_000))
    .option('--limit-role <role=n/s>', 'most requests of a role, such as review=60/m; may be repeated', collectLimits)
    .option(
      '--limit-server <server=n/s>',
      'most requests to a server, such as web=10/s; may be repeated',
      collectLimits,
    )
    .option('--audit <file>', 'append who asked for what, and what was decided, as JSON lines');
  command
    .optionsGroup('Over HTTP:')
    .option('--http', 'serve Streamable HTTP rather than stdin and stdout')
    .option('--host <address>', 'where to listen (default: 127.0.0.1)')
    .option('--port <number>', 'where to listen; 0 takes any that is free (default: 6279)', wholeNumber(0, 65_535))
    .option('--path <path>', 'path of the endpoint (default: /mcp)')
    .option('--allowed-host <name>', 'a name under which clients reach it, beside loopback; may be repeated', collect)
    .option('--allowed-origin <origin>', 'a web page that may use it; may be repeated', collect)
    .option('--tls-cert <file>', 'serve HTTPS with this certificate chain (PEM)')
    .option('--tls-key <file>', 'the private key of the certificate (PEM)');
  command
    .optionsGroup('Who may use it over HTTP:')
    .option('--token-file <file>', 'the token that clients bring (default: MCPX_TOKEN, or one made for this config)')
    .option('--no-token', 'serve clients of this machine that bring none')
    .option('--tokens-file <file>', 'tokens of several clients, each with an id and a role (YAML or JSON)')
    .option('--jwt-issuer <url>', 'take signed tokens (JWT) of this issuer')
    .option('--jwt-audience <name>', 'what they have to be made for; may be repeated', collect)
    .option('--jwks-url <url>', "where the issuer's public keys are (JWKS)")
    .option('--jwt-role-claim <name>', 'the claim that holds the role (default: role)')
    .option('--public-url <url>', 'the endpoint as clients know it, for OAuth metadata (default: as it listens)')
    .option(
      '--unsafe-remote-without-token',
      'with --no-token: serve other machines, too. Whoever connects may call everything',
    );
  return command.optionsGroup('Options:');
}

function collectLimits(text: string, previous: readonly RateLimit[] = []): readonly RateLimit[] {
  const limit = parseLimit(text);
  if (limit === undefined) throw new InvalidArgumentError('Give a name, a number and s, m or h, such as review=60/m.');
  return [...previous, limit];
}
