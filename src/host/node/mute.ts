/** The part of `node:fs` that writes to an open file at once. */
type Writes = { writeSync: (fd: number, ...rest: never[]) => number }

/**
 * Drops what is written to standard output and error through a file system module. Modules compiled with threads write
 * there directly, past the streams of their worker: a line of theirs would stand in the middle of a document on stdout.
 */
export function muteStandardStreams(fs: Writes): void {
  const { writeSync } = fs
  fs.writeSync = (fd, ...rest) => (fd === 1 || fd === 2 ? 0 : writeSync(fd, ...rest))
}
