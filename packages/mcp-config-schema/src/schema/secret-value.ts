import { z } from 'zod';
import { expectation } from './expectation.js';
import { once } from './once.js';

const what = 'text, or a mapping with secret_ref alone, such as "env:NAME" or "keychain:service/account"';
const error = expectation(what);
const referenceError = expectation('a reference with a scheme, such as "env:NAME" or "keychain:service/account"');

export const secretValueSchema = once(() =>
  z.union(
    [
      z.string({ error }).regex(/^[^\0]*$/, { error }),
      z.strictObject({
        secret_ref: z
          .string({ error: referenceError })
          .regex(/^[a-z][a-z0-9+.-]*:[^\0\r\n]+$/, { error: referenceError })
          .describe('Source of the value: env:NAME, file:PATH, command:LINE or keychain:SERVICE/ACCOUNT'),
      }),
    ],
    { error },
  ),
);

export type SecretValue = z.infer<ReturnType<typeof secretValueSchema>>;
