import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { DpopSession } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import type { OAuthSource } from '../../src/auth/auth-source.js';
import { startModernHttp } from '../helpers/modern-http.js';
import { managerWith, textOf } from '../helpers/servers.js';

/** A user with a token that is bound to a key. */
function signedInWithKey(type: 'DPoP' | 'Bearer'): OAuthSource {
  const session = DpopSession.create();
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [] },
    clientInformation: () => ({ client_id: 'known' }),
    tokens: () => ({ access_token: 'secret', token_type: type }),
    saveTokens: () => undefined,
    redirectToAuthorization: () => undefined,
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
    dpop: () => session,
  };
}

async function headersOfCalls(type: 'DPoP' | 'Bearer'): Promise<readonly IncomingHttpHeaders[]> {
  const seen: IncomingHttpHeaders[] = [];
  await using server = await startModernHttp({
    onMessage: (_, { headers }) => {
      seen.push(headers);
      return false;
    },
  });
  const source = signedInWithKey(type);
  await using manager = managerWith({ auth: () => source }, { name: 'web', url: server.url });
  expect(textOf(await manager.callTool('web', 'act'))).toBe('done');
  return seen;
}

test('sends a new proof of the key with each request', async () => {
  const seen = await headersOfCalls('DPoP');
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['DPoP secret']));
  const claims = seen.map(({ dpop }) => {
    const [, payload = ''] = String(dpop).split('.');
    return JSON.parse(Buffer.from(payload, 'base64url').toString());
  });
  const ath = createHash('sha256').update('secret').digest('base64url');
  for (const claim of claims) expect(claim).toMatchObject({ htm: 'POST', ath });
  expect(new Set(claims.map(({ jti }) => jti)).size).toBe(seen.length);
});

test('sends a bearer token if the server did not bind it', async () => {
  const seen = await headersOfCalls('Bearer');
  expect(new Set(seen.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret']));
  expect(seen.every(({ dpop }) => dpop === undefined)).toBe(true);
});
