const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export interface NatsNames {
  readonly fleet: string;
  readonly node: string;
  readonly prefix: string;
  /** Name of the key-value bucket, and of its stream. */
  readonly bucket: string;
  readonly stream: string;
  /** Prefix of keys as subjects, with the final dot. */
  readonly keyPrefix: string;
  readonly writePrefix: string;
  readonly apiPrefix: string;
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
    // Leaf nodes forward only keys that are written through a domain.
    writePrefix: domain === undefined ? keyPrefix : `${apiPrefix}.${keyPrefix}`,
    apiPrefix,
    inboxPrefix: `_INBOX_${node}`,
  };
}

export function checkName(option: string, value: unknown): void {
  if (typeof value === 'string' && NAME.test(value)) return;
  throw new TypeError(`${option} must be 1 to 64 characters of A-Z, a-z, 0-9, _ and -, got ${JSON.stringify(value)}`);
}
