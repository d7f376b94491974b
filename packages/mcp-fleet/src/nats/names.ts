const NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** What a fleet and one of its nodes are called on a NATS server. */
export interface NatsNames {
  readonly fleet: string;
  readonly node: string;
  /** Before every subject, with its last dot. */
  readonly prefix: string;
  /** The bucket of keys, and the stream that it is kept in. */
  readonly bucket: string;
  readonly stream: string;
  /** Before every key, with its last dot: what a key is as a subject. */
  readonly keyPrefix: string;
  /** The same for a key that is written. */
  readonly writePrefix: string;
  /** Before what is asked of JetStream. */
  readonly apiPrefix: string;
  /** Before the subjects on which this node alone is answered by the server. */
  readonly inboxPrefix: string;
}

/** @throws {TypeError} A name is not 1 to 64 of `A-Z a-z 0-9 _ -`. */
export function natsNames({
  fleet = 'default',
  node,
  domain,
}: {
  readonly fleet?: string | undefined;
  readonly node: string;
  /** Of the JetStream that has the bucket. */
  readonly domain?: string | undefined;
}): NatsNames {
  checkName('fleet', fleet);
  checkName('node', node);
  if (domain !== undefined) checkName('domain', domain);
  const bucket = `mcp-fleet_${fleet}`;
  const keyPrefix = `$KV.${bucket}.`;
  const apiPrefix = domain === undefined ? '$JS.API' : `$JS.${domain}.API`;
  return {
    fleet,
    node,
    prefix: `mcp-fleet.${fleet}.`,
    bucket,
    stream: `KV_${bucket}`,
    keyPrefix,
    // Leaf nodes let no keys through, but for those that are written by way of a domain.
    writePrefix: domain === undefined ? keyPrefix : `${apiPrefix}.${keyPrefix}`,
    apiPrefix,
    inboxPrefix: `_INBOX_${node}`,
  };
}

export function checkName(option: string, value: unknown): void {
  if (typeof value === 'string' && NAME.test(value)) return;
  throw new TypeError(`${option} must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -, got ${JSON.stringify(value)}`);
}
