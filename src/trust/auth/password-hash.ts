import { hash, verify } from '@node-rs/argon2';

/** Argon2id with 19 MiB and two passes; the text form includes its parameters and salt. */
const SETTINGS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

export const hashPassword = (password: string): Promise<string> => hash(password, SETTINGS);

export const isPassword = (hashed: string, password: string): Promise<boolean> =>
  verify(hashed, password);
