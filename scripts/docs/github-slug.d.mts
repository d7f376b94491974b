export declare function githubSlug(heading: string): string;
