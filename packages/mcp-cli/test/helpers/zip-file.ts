import { crc32 } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content?: string | Buffer;
  /** UNIX mode with the type of file. Default: a regular file of mode 0644. */
  readonly mode?: number;
  /** Declared size, if it is not that of the content. */
  readonly size?: number;
  /** Declared checksum, if it is not that of the content. */
  readonly checksum?: number;
}

/** A zip file without compression, with anything that a hostile one may contain. */
export function zipFile(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const { name, content = '', mode = 0o100644, size, checksum } of entries) {
    const [nameBytes, bytes] = [Buffer.from(name), Buffer.from(content)];
    const declared = size ?? bytes.length;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(20, 4);
    // Names are UTF-8.
    local.writeUInt16LE(0x0800, 6);
    local.writeUInt32LE(checksum ?? crc32(bytes), 14);
    local.writeUInt32LE(bytes.length, 18);
    local.writeUInt32LE(declared, 22);
    local.writeUInt16LE(nameBytes.length, 26);
    const central = Buffer.alloc(46);
    central.writeUInt32LE(0x02014b50, 0);
    central.writeUInt16LE(0x0314, 4);
    local.copy(central, 6, 4, 30);
    central.writeUInt32LE((mode << 16) >>> 0, 38);
    central.writeUInt32LE(offset, 42);
    locals.push(local, nameBytes, bytes);
    centrals.push(central, nameBytes);
    offset += local.length + nameBytes.length + bytes.length;
  }
  const directory = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}
