import type { PasswordHasher } from '../../src/service/accounts/Argon2Hasher.ts';

/** Replaces argon2 in tests of other parts; counts its hashes. */
export class InstantHasher implements PasswordHasher {
  hashes = 0;
  verifications = 0;
  readonly dummyHash = 'hash of nothing';
  /** Result of `needsRehash`. */
  isWeak = false;

  async hash(password: string): Promise<string> {
    this.hashes++;
    return `hash of ${password.length} characters`;
  }

  async verify(passwordHash: string, password: string): Promise<boolean> {
    this.verifications++;
    return passwordHash === `hash of ${password.length} characters`;
  }

  needsRehash(): boolean {
    return this.isWeak;
  }
}
