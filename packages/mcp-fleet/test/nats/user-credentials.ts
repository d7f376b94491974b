import { randomUUID } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

type KeyPair = ReturnType<typeof nkeys.createUser>;

/** An operator with an account and a user: the server's configuration, and the user's `.creds` file. */
export function userCredentials(): { readonly config: string; readonly credentials: string } {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
  const system = nkeys.createAccount();
  const unlimited = { subs: -1, data: -1, payload: -1 };
  const operatorJwt = jwt(operator, operator, { type: 'operator' });
  const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
  const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const accountJwt = jwt(operator, account, { type: 'account', limits: { ...limits, ...storage } });
  const systemJwt = jwt(operator, system, { type: 'account', limits });
  const userJwt = jwt(account, user, { type: 'user', ...unlimited });
  const config = [
    `operator: ${operatorJwt}`,
    'resolver: MEMORY',
    `system_account: ${system.getPublicKey()}`,
    `resolver_preload: { ${account.getPublicKey()}: ${accountJwt}, ${system.getPublicKey()}: ${systemJwt} }`,
  ].join('\n');
  const credentials = [
    '-----BEGIN NATS USER JWT-----',
    userJwt,
    '------END NATS USER JWT------',
    '',
    '-----BEGIN USER NKEY SEED-----',
    new TextDecoder().decode(user.getSeed()),
    '------END USER NKEY SEED------',
    '',
  ].join('\n');
  return { config, credentials };
}

function jwt(issuer: KeyPair, subject: KeyPair, nats: object): string {
  const claims = {
    jti: randomUUID(),
    iat: Math.floor(Date.now() / 1000),
    iss: issuer.getPublicKey(),
    name: 'test',
    sub: subject.getPublicKey(),
    nats: { version: 2, ...nats },
  };
  const body = [{ typ: 'JWT', alg: 'ed25519-nkey' }, claims].map((part) => base64url(JSON.stringify(part))).join('.');
  return `${body}.${base64url(issuer.sign(new TextEncoder().encode(body)))}`;
}

function base64url(data: string | Uint8Array): string {
  return Buffer.from(data).toString('base64url');
}
