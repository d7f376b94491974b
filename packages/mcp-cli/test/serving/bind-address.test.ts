import { expect, test } from 'vitest';
import { hostInUrl, isEveryAddress, isLoopback } from '../../src/serving/bind-address.js';

test.each(['127.0.0.1', '127.8.9.10', '::1', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', 'localhost', 'LOCALHOST'])(
  '%s can be reached by this machine only',
  (host) => expect(isLoopback(host)).toBe(true),
);

test.each([
  '0.0.0.0',
  '::',
  '[::]',
  '192.168.1.5',
  '128.0.0.1',
  '::ffff:10.0.0.1',
  'fe80::1',
  'localhost.example.com',
  '0',
  '127.1',
  '',
])('%j can be reached by other machines', (host) => expect(isLoopback(host)).toBe(false));

test('an unspecified address is recognized', () => {
  expect(['0.0.0.0', '::', '[::]', '0:0:0:0:0:0:0:0'].every(isEveryAddress)).toBe(true);
  expect(['127.0.0.1', '::1', '0', 'localhost', ''].some(isEveryAddress)).toBe(false);
});

test('an IPv6 address has brackets in a URL', () => {
  expect(['::1', '[::1]', '127.0.0.1', 'localhost'].map(hostInUrl)).toEqual([
    '[::1]',
    '[::1]',
    '127.0.0.1',
    'localhost',
  ]);
});
