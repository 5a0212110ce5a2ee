/** A snapshot file can not be used; the message names the file and the place. */
export class SnapshotFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SnapshotFault';
  }
}
