export interface University {
  web_pages: string[];
  name: string;
  domains: string[];
  alpha_two_code: string;
  country: string;
  'state-province': string | null;
}

export interface UniversitiesQuery {
  country: string;
  nonce: string;
}

export interface SignedUniversities {
  stamp: number;
  signature: string;
  universities: University[];
}
