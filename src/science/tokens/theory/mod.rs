//! Exact results on sparse token regression that need no training: the risk of models with few attention heads, the
//! information of n prompts about a direction, the error of a look-up against its sharpness, and pairs of random
//! codes that are too similar (Mousavi-Hosseini et al. 2025).
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
