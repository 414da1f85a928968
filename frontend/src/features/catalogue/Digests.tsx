interface DigestsProps {
  /** Digest of the files that the catalogue has. */
  digest: string;
  /** Digest of the files of each bench host, by host name. */
  digests: Readonly<Record<string, string>>;
}

const SHOWN_CHARACTERS = 16;

/** Shows the digest of an entry of the catalogue, and the hosts that have other files. */
export function Digests({ digest, digests }: DigestsProps) {
  const others = Object.entries(digests).filter(([, own]) => own !== digest);
  return (
    <>
      <code>{digest.slice(0, SHOWN_CHARACTERS)}</code>
      {others.map(([host, own]) => (
        <div key={host}>
          on {host}: <code>{own.slice(0, SHOWN_CHARACTERS)}</code>
        </div>
      ))}
    </>
  );
}
