// Loaded by each process of Node under Wine 8, which refuses keep-alive on a socket that is not connected yet. fetch asks for it then.
import { Socket } from 'node:net';

const { setKeepAlive } = Socket.prototype;

Socket.prototype.setKeepAlive = function (...args) {
  return this.connecting ? this.once('connect', () => setKeepAlive.apply(this, args)) : setKeepAlive.apply(this, args);
};
