//! What is known of sparse token regression without a network: how far few heads can come, what the span of a sample has
//! caught, how sharp a look-up is, and how often short codes are too much alike (Mousavi-Hosseini et al. 2025).
//!
//! | here | there |
//! |---|---|
//! | [`heads`]: error with H heads, exactly | propositions 3 and 21 |
//! | [`oracle`]: what n prompts tell of a direction | theorem 6 |
//! | [`retrieval`]: error of the constructed look-up against its sharpness | lemma 11, equation A.2 |
//! | [`angles`]: pairs of random codes that break assumption 3 | assumption 3, figure 1 |

pub mod angles;
pub mod heads;
pub mod oracle;
pub mod retrieval;
